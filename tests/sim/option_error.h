#pragma once

// The error of invalid options of a simulator.

#include <functional>
#include <string>

#include "gcan/base/error.h"

namespace gcan::test {

// The message for the default options after this change; empty if they are valid.
template <class Options>
std::string option_error(const std::function<void(Options&)>& change) {
  Options options;
  change(options);
  try {
    validate(options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace gcan::test
