#pragma once

// Where gcan's sources are, for tests that read files of the repository. A function, so that its absolute
// path is compiled into one file and the compiler cache serves the others in every clone.

#include <string>

namespace gcan::test {

std::string source_dir();

// A file of reference values: in the folder that GCAN_REFERENCE_DIR names; without it the slice in
// tests/data/reference, or for a file too large for that the one in ../shared/reference, which may be absent.
std::string reference_file(const std::string& name);

}  // namespace gcan::test
