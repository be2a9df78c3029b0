#pragma once

#include <string>
#include <vector>

#include "gcan/config/options.h"

namespace gcan::config {

// A value given for section.key, and where: "tetris.toml, line 3" or "--set".
struct Entry {
  std::string section;
  std::string key;
  Value value;
  bool as_text = false;  // the value is text that is yet to be parsed as the option's type
  std::string where;
};

// The entries of a configuration file: sections of keys whose values are booleans, numbers or strings. Error,
// with file and line, for a file that cannot be read, is not TOML, or has values of other types.
//
//   for (const Entry& entry : read_toml("tetris.toml")) apply(entry, options);
std::vector<Entry> read_toml(const std::string& path);

// The same for the text of a file; `path` is for errors.
std::vector<Entry> parse_toml(const std::string& text, const std::string& path);

// "train.steps=20000", as after --set.
Entry parse_setting(const std::string& text);

// Sets the entry's option; an Error says where the entry is.
void apply(const Entry& entry, Options& options);

// Prefixes an error message with the place of the entry: "tetris.toml, line 3: ...".
std::string sentence_at(const Entry& entry, const std::string& sentence);

// Options as a section of a configuration file, with their help as comments.
std::string to_toml(const Options& options);

}  // namespace gcan::config
