#include "gcan/config/toml_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

namespace {
// toml++ asserts, or assumes without NDEBUG, what some texts do not fulfil, as "[/" in version 3.3.
struct BrokenAssumption {};
[[noreturn]] void throw_broken_assumption() { throw BrokenAssumption{}; }
}  // namespace
#undef NDEBUG
#define TOML_ASSERT(expression) ((expression) ? void() : throw_broken_assumption())
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "gcan/base/error.h"
#include "gcan/config/ascii_toml.h"

namespace gcan::config {
namespace {

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    throw Error(fmt::format("the configuration file '{}' cannot be read", path));
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string place(const std::string& path, const toml::source_region& source) {
  return fmt::format("{}, line {}", path, source.begin.line);
}

std::string line_of(const std::string& text, std::size_t number) {
  std::istringstream lines(text);
  std::string line;
  for (std::size_t i = 0; i < number && std::getline(lines, line); ++i) {
  }
  constexpr std::size_t kMost = 60;
  return line.size() > kMost ? line.substr(0, kMost) + "..." : line;
}

// The probable mistake in the line, in words that need no knowledge of TOML's grammar.
std::string reason_of(const std::string& line, std::string_view description) {
  const auto says = [&](std::string_view part) { return description.find(part) != std::string_view::npos; };
  if (says("redefine")) return fmt::format("'{}' repeats a key or section", line);
  if (says("value type")) return fmt::format("'{}' has no valid value; a string needs quotes", line);
  if (says("string")) return fmt::format("the string in '{}' has no closing quote", line);
  return fmt::format("'{}' is neither a section like [train] nor a key and its value like steps = 100", line);
}

// The first line up to which toml++ cannot read the text; 0 for a text that is too long to try.
int unreadable_line(const std::string& text) {
  constexpr std::size_t kLongest = 20'000;
  if (text.size() > kLongest) return 0;
  int line = 1;
  for (std::size_t end = 0; end < text.size(); ++line) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
    try {
      static_cast<void>(toml::parse(text.substr(0, end)));
    } catch (const toml::parse_error&) {  // of an unfinished value
    } catch (const BrokenAssumption&) {
      return line;
    }
  }
  return 0;
}

toml::table parse(const std::string& text, const std::string& path) {
  const std::string ascii = ascii_toml(text, path);
  try {
    return toml::parse(ascii, path);
  } catch (const BrokenAssumption&) {
    const int line = unreadable_line(ascii);
    if (line == 0) throw Error(fmt::format("{}: this is not TOML", path));
    throw Error(fmt::format("{}, line {}: this is not TOML: {}", path, line,
                            reason_of(line_of(text, static_cast<std::size_t>(line)), "")));
  } catch (const toml::parse_error& error) {
    throw Error(fmt::format("{}: this is not TOML: {}", place(path, error.source()),
                            reason_of(line_of(text, error.source().begin.line), error.description())));
  }
}

Value value_of(const toml::node& node, const std::string& where, const std::string& name) {
  if (const auto* flag = node.as_boolean()) return flag->get();
  if (const auto* whole = node.as_integer()) return whole->get();
  if (const auto* number = node.as_floating_point()) return number->get();
  if (const auto* text = node.as_string()) return text->get();
  throw Error(fmt::format("{}: '{}' expects true or false, a number or a string", where, name));
}

}  // namespace

std::vector<Entry> read_toml(const std::string& path) { return parse_toml(read_text(path), path); }

std::vector<Entry> parse_toml(const std::string& text, const std::string& path) {
  const toml::table file = parse(text, path);
  std::vector<Entry> entries;
  for (const auto& [section, content] : file) {
    const std::string name(section.str());
    const toml::table* keys = content.as_table();
    if (keys == nullptr) {
      throw Error(fmt::format("{}: the key '{}' is in no section; put it below a line like [train]",
                              place(path, content.source()), name));
    }
    for (const auto& [key, node] : *keys) {
      const std::string where = place(path, node.source());
      entries.push_back({name, std::string(key.str()),
                         value_of(node, where, fmt::format("{}.{}", name, std::string(key.str()))), false,
                         where});
    }
  }
  return entries;
}

Entry parse_setting(const std::string& text) {
  const auto equals = text.find('=');
  const auto dot = text.find('.');
  if (equals == std::string::npos || dot == std::string::npos || dot == 0 || dot + 1 >= equals) {
    throw Error(fmt::format("--set expects section.key=value, as in train.steps=20000, not '{}'", text));
  }
  return {text.substr(0, dot), text.substr(dot + 1, equals - dot - 1), text.substr(equals + 1), true,
          "--set"};
}

std::string sentence_at(const Entry& entry, const std::string& sentence) {
  return fmt::format("{}: {}", entry.where, sentence);
}

void apply(const Entry& entry, Options& options) {
  try {
    if (entry.as_text) {
      options.set_text(entry.key, std::get<std::string>(entry.value));
    } else {
      options.set(entry.key, entry.value);
    }
  } catch (const Error& error) {
    throw Error(sentence_at(entry, error.what()));
  }
}

std::string to_toml(const Options& options) {
  std::string text;
  for (const Option& option : options.table()) {
    text += fmt::format("{} = {}  # {}\n", option.name, to_string(options.value(option.name)), option.help);
  }
  return text;
}

}  // namespace gcan::config
