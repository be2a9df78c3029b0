import { button, choice, element } from './dom';

// Plays, steps and scrubs through frames. `time` is a frame plus the fraction to the next.
export class Player {
  readonly controls: HTMLElement;
  time = 0;
  private readonly slider: HTMLInputElement;
  private readonly label: HTMLElement;
  private readonly start: HTMLButtonElement;
  private playing = false;
  private speed: number; // frames per second
  private before = 0;
  private readonly seen: (() => void)[] = [];

  constructor(
    private readonly frames: number,
    private readonly text: (frame: number) => string,
    speeds: number[],
  ) {
    this.speed = speeds[Math.floor(speeds.length / 2)];
    this.start = button('▶', 'Play', () => this.play(!this.playing));
    this.start.className = 'play';
    this.slider = element('input', {
      type: 'range',
      min: 0,
      max: frames - 1,
      step: 'any',
      value: 0,
      'aria-label': 'Time',
      class: 'time',
      input: () => {
        this.play(false);
        this.go(Number(this.slider.value));
      },
      // Keys step by whole frames, like a slider's arrows.
      keydown: (event: KeyboardEvent) => this.slide_by_key(event),
    });
    this.label = element('output', { class: 'time-text' });
    this.controls = element(
      'div',
      { class: 'player', role: 'group', 'aria-label': 'Playback' },
      this.start,
      button('‹', 'Previous step', () => this.step(-1)),
      button('›', 'Next step', () => this.step(1)),
      this.slider,
      this.label,
      choice(
        'speed',
        speeds.map((s) => ({ text: `${s}/s`, value: String(s) })),
        String(this.speed),
        (value) => (this.speed = Number(value)),
      ),
    );
    this.show();
  }

  on_change(see: () => void): void {
    this.seen.push(see);
  }

  go(time: number): void {
    this.time = Math.min(Math.max(time, 0), this.frames - 1);
    this.show();
    for (const see of this.seen) see();
  }

  step(by: number): void {
    this.play(false);
    this.go(by > 0 ? Math.floor(this.time + 1e-6) + by : Math.ceil(this.time - 1e-6) + by);
  }

  play(on: boolean): void {
    if (on === this.playing) return;
    this.playing = on;
    this.start.textContent = on ? '⏸' : '▶';
    this.start.setAttribute('aria-label', on ? 'Pause' : 'Play');
    this.start.title = on ? 'Pause' : 'Play';
    if (!on) return;
    if (this.time >= this.frames - 1 - 1e-6) this.time = 0;
    this.before = 0;
    requestAnimationFrame((now) => this.tick(now));
  }

  // Keys of the enclosing view: space plays, comma and full stop step.
  key(event: KeyboardEvent): boolean {
    if (event.key === ' ') this.play(!this.playing);
    else if (event.key === ',') this.step(-1);
    else if (event.key === '.') this.step(1);
    else return false;
    return true;
  }

  private tick(now: number): void {
    if (!this.playing) return;
    if (this.before > 0) {
      const time = this.time + ((now - this.before) / 1000) * this.speed;
      this.go(time);
      if (time >= this.frames - 1) {
        this.play(false);
        return;
      }
    }
    this.before = now;
    requestAnimationFrame((next) => this.tick(next));
  }

  private slide_by_key(event: KeyboardEvent): void {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };
    if (event.key in steps) this.step(steps[event.key]);
    else if (event.key === 'Home') this.go(0);
    else if (event.key === 'End') this.go(this.frames - 1);
    else return;
    event.preventDefault();
  }

  private show(): void {
    this.slider.value = String(this.time);
    const text = this.text(Math.round(this.time));
    if (text === this.label.textContent) return;
    this.label.textContent = text;
    this.slider.setAttribute('aria-valuetext', text);
  }
}
