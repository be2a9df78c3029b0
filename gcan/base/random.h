#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace gcan::base {

// Random numbers from Philox (philox.h). Each (seed, stream) is an independent sequence. Normal numbers
// (Box-Muller) use IEEE operations only, so every machine gets the same bits; the standard library's
// distributions differ between implementations.

// Fills `out` with independent standard normal numbers; the first n do not depend on the size of `out`.
// Branch-free, so that the compiler vectorises it.
void fill_normals(std::uint64_t seed, std::uint64_t stream, std::span<double> out);

// Random access: the two standard normal numbers at this index.
std::pair<double, double> normal_pair(std::uint64_t seed, std::uint64_t stream, std::uint32_t index);

// Draws numbers in sequence.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

  double uniform();  // in [0, 1), multiples of 2^-53
  double uniform(double low, double high);
  int integer(int low, int high);  // uniform, including low and high
  double normal();                 // mean 0, variance 1

 private:
  std::uint32_t next();

  std::uint64_t seed_, stream_;
  std::uint64_t block_ = 0;
  std::array<std::uint32_t, 4> words_{};
  std::size_t used_ = 4;
};

}  // namespace gcan::base
