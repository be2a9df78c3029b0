#pragma once

// Where gcan's sources are, for tests that read files of the repository. A function, so that its absolute
// path is compiled into one file and the compiler cache serves the others in every clone.

#include <string>

namespace gcan::test {

std::string source_dir();

}  // namespace gcan::test
