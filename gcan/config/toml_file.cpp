#include "gcan/config/toml_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "gcan/base/error.h"

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

toml::table parse(const std::string& path) {
  try {
    return toml::parse(read_text(path), path);
  } catch (const toml::parse_error& error) {
    std::string reason(error.description());
    throw Error(fmt::format("{}: this is not TOML: {}", place(path, error.source()), reason));
  }
}

Value value_of(const toml::node& node, const std::string& where, const std::string& name) {
  if (const auto* flag = node.as_boolean()) return flag->get();
  if (const auto* whole = node.as_integer()) return whole->get();
  if (const auto* number = node.as_floating_point()) return number->get();
  if (const auto* text = node.as_string()) return text->get();
  throw Error(fmt::format("{}: '{}' expects true or false, a number or a text", where, name));
}

}  // namespace

std::vector<Entry> read_toml(const std::string& path) {
  const toml::table file = parse(path);
  std::vector<Entry> entries;
  for (const auto& [section, content] : file) {
    const std::string name(section.str());
    const toml::table* keys = content.as_table();
    if (keys == nullptr) {
      throw Error(fmt::format("{}: the key '{}' stands in no section; put it below a line like [train]",
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
