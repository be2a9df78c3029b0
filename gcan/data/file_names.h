#pragma once

// Texts that name data files: one file, or the parts of a set that several processes have written.

#include <string>
#include <vector>

namespace gcan::data {

// The files of a name, of a list "sw-0.h5,sw-1.h5", of a pattern "sw-*.h5" (with *, ? and [...]), or of a
// list of patterns. A name without a pattern need not exist; if a file with exactly this name exists, it is
// the only one. Error if a pattern matches no file.
std::vector<std::string> files_named(const std::string& text);

// Whether the text names several files or contains a pattern.
bool is_list(const std::string& text);

// Error if the text names several files: `what` is a single file.
std::string file_named(const std::string& text, const std::string& what);

// Whether all files exist and every pattern matches some.
bool files_exist(const std::string& text);

// The same text with absolute paths, or without folders.
std::string absolute_names(const std::string& text);
std::string short_names(const std::string& text);

}  // namespace gcan::data
