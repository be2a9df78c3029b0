#pragma once

#include <stdexcept>

namespace gcan {

// gcan's exception. `what()` is a complete sentence for the user: what was found, what was expected and, if
// there is one, the remedy.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace gcan
