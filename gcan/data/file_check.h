#pragma once

// Checks before the HDF5 library parses a file in this process: its checksum, and a trial run in a process
// that may crash.

#include <string>

namespace gcan::data {

// Error, with the file and the remedy, if the checksum at the end of the file is wrong, or if the library
// crashes, loops or runs out of memory on it. The trial run reads only the structure of a file with a
// checksum, and all numbers of a file without one (foreign files, and files of gcan 0.1). Checks each state
// of a file once per process.
void check_before_parsing(const std::string& path);

// Whether to compare checksums and to read all numbers, which may take too long for large files; initially
// true.
void set_verification(bool wanted);
bool verification();

}  // namespace gcan::data
