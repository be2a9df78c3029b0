#pragma once

#include <stdexcept>

namespace gcan {

// The one exception type of gcan. `what()` is a complete sentence for the user: what was found, what is
// expected, and where a remedy exists, the remedy.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace gcan
