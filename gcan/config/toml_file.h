#pragma once

#include <string>
#include <vector>

#include "gcan/config/options.h"

namespace gcan::config {

// A value that was given for section.key, and where: "tetris.toml, line 3" or "--set".
struct Entry {
  std::string section;
  std::string key;
  Value value;
  bool as_text = false;  // the value is a text still to be read as the option's type
  std::string where;
};

// The entries of a configuration file: sections of keys, a key being true or false, a number
// or a text. Error, with file and line, for a file that cannot be read, that is not TOML, or has more than
// that.
//
//   for (const Entry& entry : read_toml("tetris.toml")) apply(entry, options);
std::vector<Entry> read_toml(const std::string& path);

// The same of a file's text; `path` is for errors.
std::vector<Entry> parse_toml(const std::string& text, const std::string& path);

// "train.steps=20000", as after --set.
Entry parse_setting(const std::string& text);

// Sets the option that the entry names; an Error says where the entry is written.
void apply(const Entry& entry, Options& options);

// The sentence of an error about the entry: "tetris.toml, line 3: ...".
std::string sentence_at(const Entry& entry, const std::string& sentence);

// Options as a section of a configuration file, a comment with its help after each key.
std::string to_toml(const Options& options);

}  // namespace gcan::config
