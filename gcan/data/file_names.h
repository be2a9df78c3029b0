#pragma once

// The texts that name data files: one file, or the parts that several processes have written of a set.

#include <string>
#include <vector>

namespace gcan::data {

// The files of a name, of a list "sw-0.h5,sw-1.h5", of a pattern "sw-*.h5" (with *, ? and [...]), or of a
// list of patterns. A name without a pattern need not exist, and an existing file of exactly this name is the
// only one. Error for a pattern without files.
std::vector<std::string> files_named(const std::string& text);

// Whether the text names several files or contains a pattern.
bool is_list(const std::string& text);

// Error if the text names several files, because `what` is a single file.
std::string file_named(const std::string& text, const std::string& what);

// Whether all files exist, and a pattern has some.
bool files_exist(const std::string& text);

// The same text with absolute paths, and without folders.
std::string absolute_names(const std::string& text);
std::string short_names(const std::string& text);

}  // namespace gcan::data
