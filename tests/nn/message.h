#pragma once

#include <string>

#include "gcan/base/error.h"

namespace gcan::test {

// The message of the call's error; empty if there is none.
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
