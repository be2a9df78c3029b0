#pragma once

#include <string>

#include "gcan/base/error.h"

namespace gcan::test {

// What the call complains about; empty when it does not.
template <class Call>
std::string message(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace gcan::test
