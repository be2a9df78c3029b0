#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace gcan::base {

// Random numbers from Philox (philox.h). They belong to (seed, stream), and streams are independent. Box and
// Muller's normal numbers are computed from IEEE operations alone, so every machine gets the same bits; the
// standard library's distributions differ between implementations.

// Fills `out` with independent standard normal numbers: the first n are the same however many are asked for.
// Free of branches, so that the compiler computes several at once.
void fill_normals(std::uint64_t seed, std::uint64_t stream, std::span<double> out);

// The two standard normal numbers with this index, in any order of asking.
std::pair<double, double> normal_pair(std::uint64_t seed, std::uint64_t stream, std::uint32_t index);

// Draws one number after another.
class Random {
 public:
  Random(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

  double uniform();  // in [0, 1), multiples of 2^-53
  double uniform(double low, double high);
  int integer(int low, int high);  // low and high included, each equally likely
  double normal();                 // mean 0, variance 1

 private:
  std::uint32_t next();

  std::uint64_t seed_, stream_;
  std::uint64_t block_ = 0;
  std::array<std::uint32_t, 4> words_{};
  std::size_t used_ = 4;
};

}  // namespace gcan::base
