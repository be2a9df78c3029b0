#pragma once

// gcan/config: named options with defaults, limits and help, and the files that set them. Networks, data and
// training each describe theirs in a table; configuration files, --set, `gcan list` and the record in a run
// folder all work from the same tables. Standard library and toml++ only.

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

namespace gcan::config {

using Value = std::variant<bool, std::int64_t, double, std::string>;

// true, 3, 0.5 (always with a point or an exponent), "text" as TOML writes them.
std::string to_string(const Value& value);

// The parts of a text between its commas, as they stand: "s,v" -> "s", "v".
std::vector<std::string> comma_parts(const std::string& text);

// One option: its name, its type and default in one, and what it may be.
struct Option {
  std::string name;
  Value standard;
  std::string help;
  std::vector<std::string> choices = {};  // of a text; any text when empty
  // Limits of a number, both allowed.
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

// The values of a table's options, those that nobody set at their defaults.
//
//   Options options("model", {{"channels", 128, "width of the hidden layers", {}, 1, 65536}});
//   options.set("channels", 64);
//   options.integer("channels");   // 64
class Options {
 public:
  // `section` is for errors: "model.channels expects a whole number from 1 to 65536, not 0".
  Options(std::string section, std::vector<Option> table);

  // Error for an unknown name, which says the nearest known one, a value of another type (a whole number may
  // stand for a number), outside the limits, not finite, or not among the choices.
  void set(const std::string& name, const Value& value);
  // The same from a text, read as the option's type.
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
