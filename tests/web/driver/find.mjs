// Runs in the page: finds elements by their visible names. `steps` lead from the document to elements.
export function find(steps, root = document) {
  const trimmed = (text) => (text ?? '').replace(/\s+/g, ' ').trim();
  const roles = {
    button: 'button, [role=button]', link: 'a[href]', checkbox: 'input[type=checkbox]', slider: 'input[type=range]',
    textbox: 'textarea, input:not([type])', combobox: 'select', img: 'img, [role=img]', table: 'table',
  };
  const name_of = (element) => trimmed(element.getAttribute('aria-label') ?? element.textContent);
  const same = (text, wanted, exact) =>
    exact ? trimmed(text) === wanted : trimmed(text).toLowerCase().includes(wanted.toLowerCase());
  const like = (text, { source, flags, plain }) =>
    plain === undefined ? new RegExp(source, flags).test(trimmed(text)) : trimmed(text).includes(plain);
  const labelled = (inside, wanted) =>
    [...inside.querySelectorAll('label')]
      .filter((label) => same(label.textContent, wanted) && label.control)
      .map((label) => label.control)
      .concat([...inside.querySelectorAll('[aria-label]')].filter((e) => same(e.getAttribute('aria-label'), wanted)));
  const with_text = (inside, wanted) => {
    const all = [...inside.querySelectorAll('*')].filter((e) => !/^(SCRIPT|STYLE)$/.test(e.tagName) && same(e.textContent, wanted));
    return all.filter((e) => !all.some((other) => other !== e && e.contains(other)));
  };
  let found = [root];
  for (const step of steps) {
    const among = (choose) => [...new Set(found.flatMap(choose))];
    if (step.css !== undefined) found = among((e) => [...e.querySelectorAll(step.css)]);
    else if (step.role) found = among((e) => [...e.querySelectorAll(roles[step.role])]).filter((e) => !step.name || same(name_of(e), step.name, step.exact));
    else if (step.label) found = among((e) => labelled(e, step.label));
    else if (step.text) found = among((e) => with_text(e, step.text));
    else if (step.nth !== undefined) found = found.slice(step.nth).slice(0, 1);
    if (step.has) found = found.filter((e) => find(step.has, e).length > 0);
    if (step.has_text) found = found.filter((e) => like(e.textContent, step.has_text));
    if (step.visible) found = found.filter((e) => e.checkVisibility());
  }
  return found;
}
