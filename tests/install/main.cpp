// What a user's first program might do, in both outside projects.
#include <iostream>

#include "gcan/algebra/error.h"
#include "gcan/kernels/cpu.h"
#include "gcan/version.h"

int main() {
  try {
    throw gcan::Error("found");
  } catch (const gcan::Error& error) {
    std::cout << "gcan " << gcan::version() << " " << error.what() << " on " << gcan::kernels::simd_level()
              << '\n';
  }
}
