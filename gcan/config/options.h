#pragma once

// gcan/config: named options with defaults, limits and help, and the files that set them. Networks, data,
// training and simulators each describe theirs in a table; configuration files, --set, `gcan list`, the
// options of `gcan simulate` and the records in run folders and data files all work from these tables.

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

namespace gcan::config {

using Value = std::variant<bool, std::int64_t, double, std::string>;

// In TOML: true, 3, 0.5 (always with a point or an exponent), "text".
std::string to_string(const Value& value);

// Splits at commas: "s,v" -> "s", "v".
std::vector<std::string> comma_parts(const std::string& text);

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// One option: its name, its default, which also gives its type, and the values it accepts.
struct Option {
  std::string name;
  Value standard;
  std::string help;
  std::vector<std::string> choices = {};      // for a string; any string when empty
  double least = -kNoLimit, most = kNoLimit;  // for a number, inclusive
  std::string unit = "1";                     // "1" for none
};

// The text as the option's type; Error unless the option accepts it. `title` is the option's name in the
// error: "--cells expects a whole number, not 'x'".
Value parse(const Option& option, const std::string& text, const std::string& title);
// The value as the option's type: a whole number may stand for a number. Error unless the option accepts it.
Value checked(const Option& option, const Value& value, const std::string& title);

// Values for a table of options, initially the defaults.
//
//   Options options("model", {{"channels", 128, "width of the hidden layers", {}, 1, 65536}});
//   options.set("channels", 64);
//   options.integer("channels");   // 64
class Options {
 public:
  // `section` is for errors: "model.channels expects a whole number from 1 to 65536, not 0".
  Options(std::string section, std::vector<Option> table);

  // Error for an unknown name (with a suggestion) and for a value that the option does not accept (see
  // `checked`).
  void set(const std::string& name, const Value& value);
  // Parses the text as the option's type, then sets it.
  void set_text(const std::string& name, const std::string& text);

  [[nodiscard]] bool flag(const std::string& name) const;
  [[nodiscard]] std::int64_t integer(const std::string& name) const;
  [[nodiscard]] double number(const std::string& name) const;
  [[nodiscard]] const std::string& text(const std::string& name) const;

  [[nodiscard]] const Value& value(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const;
  [[nodiscard]] const std::vector<Option>& table() const { return table_; }
  [[nodiscard]] const std::string& section() const { return section_; }

 private:
  [[nodiscard]] std::size_t index(const std::string& name) const;

  std::string section_;
  std::vector<Option> table_;
  std::vector<Value> values_;
};

}  // namespace gcan::config
