#include "gcan/config/options.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <sstream>

#include "gcan/base/error.h"
#include "gcan/base/numbers.h"
#include "gcan/base/spelling.h"

namespace gcan::config {
namespace {

const char* type_name(const Value& value) {
  switch (value.index()) {
    case 0: return "true or false";
    case 1: return "a whole number";
    case 2: return "a number";
    default: return "a text";
  }
}

std::string limits(const Option& option) {
  const bool low = std::isfinite(option.least), high = std::isfinite(option.most);
  if (low && high) return fmt::format(" from {} to {}", option.least, option.most);
  if (low) return fmt::format(" of at least {}", option.least);
  if (high) return fmt::format(" of at most {}", option.most);
  return "";
}

std::string expectation(const Option& option) {
  if (option.choices.empty()) return type_name(option.standard) + limits(option);
  return fmt::format("one of {}", fmt::join(option.choices, ", "));
}

bool allowed(const Option& option, const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    for (const std::string& choice : option.choices) {
      if (*text == choice) return true;
    }
    return option.choices.empty();
  }
  if (std::holds_alternative<bool>(value)) return true;
  const double number = std::holds_alternative<double>(value)
                            ? std::get<double>(value)
                            : static_cast<double>(std::get<std::int64_t>(value));
  return std::isfinite(number) && number >= option.least && number <= option.most;
}

template <class Number>
bool read_number(const std::string& text, Value& value) {
  const std::optional<Number> number = base::parse_number<Number>(text);
  if (number) value = *number;
  return number.has_value();
}

bool read(const std::string& text, Value& value) {
  switch (value.index()) {
    case 0: value = text == "true"; return text == "true" || text == "false";
    case 1: return read_number<std::int64_t>(text, value);
    case 2: return read_number<double>(text, value);
    default: value = text; return true;
  }
}

}  // namespace

std::string to_string(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* text = std::get_if<std::string>(&value)) {
    std::string quoted = "\"";
    for (const char c : *text) {
      if (c == '"' || c == '\\') quoted += '\\';
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
        quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
      } else {
        quoted += c;
      }
    }
    return quoted + "\"";
  }
  const double number = std::get<double>(value);
  std::string text = fmt::format("{}", number);
  if (std::isfinite(number) && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

Value checked(const Option& option, const Value& value, const std::string& title) {
  Value fitting = value;
  if (std::holds_alternative<double>(option.standard)) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) fitting = static_cast<double>(*whole);
  }
  if (fitting.index() == option.standard.index() && allowed(option, fitting)) return fitting;
  throw Error(fmt::format("{} expects {}, not {}", title, expectation(option), to_string(value)));
}

Value parse(const Option& option, const std::string& text, const std::string& title) {
  Value value = option.standard;
  if (read(text, value) && allowed(option, value)) return value;
  throw Error(fmt::format("{} expects {}, not '{}'", title, expectation(option), text));
}

std::vector<std::string> comma_parts(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

Options::Options(std::string section, std::vector<Option> table)
    : section_(std::move(section)), table_(std::move(table)) {
  for (const Option& option : table_) values_.push_back(option.standard);
}

bool Options::has(const std::string& name) const {
  for (const Option& option : table_) {
    if (option.name == name) return true;
  }
  return false;
}

std::size_t Options::index(const std::string& name) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < table_.size(); ++i) {
    if (table_[i].name == name) return i;
    names.push_back(table_[i].name);
  }
  std::string sentence = fmt::format("there is no key '{}.{}'", section_, name);
  const std::string near = base::nearest(name, names);
  if (!near.empty()) {
    sentence += fmt::format("; did you mean '{}.{}'?", section_, near);
  } else if (names.empty()) {
    sentence += fmt::format("; '{}' has no keys", section_);
  } else {
    sentence += fmt::format("; '{}' has {}", section_, fmt::join(names, ", "));
  }
  throw Error(sentence);
}

void Options::set(const std::string& name, const Value& value) {
  const std::size_t i = index(name);
  values_[i] = checked(table_[i], value, fmt::format("{}.{}", section_, name));
}

void Options::set_text(const std::string& name, const std::string& text) {
  const std::size_t i = index(name);
  values_[i] = parse(table_[i], text, fmt::format("{}.{}", section_, name));
}

const Value& Options::value(const std::string& name) const { return values_[index(name)]; }
bool Options::flag(const std::string& name) const { return std::get<bool>(value(name)); }
std::int64_t Options::integer(const std::string& name) const { return std::get<std::int64_t>(value(name)); }
double Options::number(const std::string& name) const { return std::get<double>(value(name)); }
const std::string& Options::text(const std::string& name) const { return std::get<std::string>(value(name)); }

}  // namespace gcan::config
