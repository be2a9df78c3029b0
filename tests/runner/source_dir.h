#pragma once

// The folder of gcan's sources, for tests that read files of the repository. A function, so that the absolute
// path is compiled into one file and clones share the compiler cache for all others.

#include <string>

namespace gcan::test {

std::string source_dir();

// A file of reference values: in the folder GCAN_REFERENCE_DIR if set, else the excerpt in
// tests/data/reference, else the file in ../shared/reference, which may be missing.
std::string reference_file(const std::string& name);

}  // namespace gcan::test
