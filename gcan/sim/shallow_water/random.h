#pragma once

#include <array>
#include <cstdint>

namespace gcan::sim::shallow_water {

// Random numbers of one trajectory: xoshiro256++ (Blackman and Vigna 2019) seeded through splitmix64. The
// standard library's distributions differ between implementations, so they are not used: the integers
// and uniform numbers here are the same on every machine, the normal ones up to the rounding of its log and
// cos.
class Random {
 public:
  // Streams of different (seed, stream) are independent.
  Random(std::uint64_t seed, std::uint64_t stream);

  std::uint64_t next();
  double uniform();  // in [0, 1), multiples of 2^-53
  double uniform(double low, double high);
  int integer(int low, int high);  // low and high included, each equally likely
  double normal();                 // mean 0, variance 1

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace gcan::sim::shallow_water
