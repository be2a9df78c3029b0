#pragma once

// Before the HDF5 library parses a file in this process: its checksum, and a try in a process that may crash.

#include <string>

namespace gcan::data {

// Error, with the file and what to do, when the checksum at the end of the file is wrong, or when the library
// crashes, loops or runs out of memory on it. Of a file without a checksum, from elsewhere or of gcan 0.1,
// every number is read in that try; of one with it only the structure. Once per process and state of a file.
void check_before_parsing(const std::string& path);

// Whether checksums are compared and numbers tried, for files too large for it; true at first.
void set_verification(bool wanted);
bool verification();

}  // namespace gcan::data
