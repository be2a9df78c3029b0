#pragma once

// What all fuzz targets share. A target is one file with LLVMFuzzerTestOneInput: it gives the bytes to one
// reader and lets gcan::Error pass, the one way in which a reader may refuse them. Any other exception ends
// the fuzzer, as do the sanitizers and a require() that does not hold.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <span>
#include <string>

#include "gcan/base/error.h"

namespace gcan::fuzz {

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline std::span<const std::byte> bytes_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const std::byte*>(data), size};
}

// A law of the reader that must hold for every input.
inline void require(bool holds, const char* law) {
  if (holds) return;
  std::fprintf(stderr, "This does not hold: %s\n", law);
  std::abort();
}

// The sentence of the Error that `work` throws; empty if it throws none. A sentence is one line and not the
// text of another library's exception.
template <class Work>
std::string refusal_of(const Work& work) {
  try {
    work();
    return "";
  } catch (const Error& error) {
    const std::string sentence = error.what();
    require(!sentence.empty(), "an error says something");
    for (const char* leak :
         {"[json.exception", "filesystem error", "basic_string", "sto", "vector::", "map::"})
      require(!sentence.starts_with(leak), "an error is in gcan's own words");
    return sentence;
  } catch (const std::bad_alloc&) {
    return "out of memory";  // which the program says with the size
  }
}

}  // namespace gcan::fuzz
