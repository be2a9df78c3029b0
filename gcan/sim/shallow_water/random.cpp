#include "gcan/sim/shallow_water/random.h"

#include <bit>
#include <cmath>
#include <numbers>

namespace gcan::sim::shallow_water {
namespace {

std::uint64_t splitmix(std::uint64_t& x) {
  x += 0x9e3779b97f4a7c15U;
  std::uint64_t z = x;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace

Random::Random(std::uint64_t seed, std::uint64_t stream) {
  // Two rounds: neighbouring seeds and neighbouring streams must not give shifted copies of a sequence.
  std::uint64_t x = splitmix(seed) ^ (splitmix(stream) * 0xd1342543de82ef95U);
  for (auto& word : state_) word = splitmix(x);
}

std::uint64_t Random::next() {
  auto& s = state_;
  const std::uint64_t result = std::rotl(s[0] + s[3], 23) + s[0];
  const std::uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = std::rotl(s[3], 45);
  return result;
}

double Random::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

double Random::uniform(double low, double high) { return low + (high - low) * uniform(); }

int Random::integer(int low, int high) {
  const auto range = static_cast<std::uint64_t>(high - low) + 1;
  // Values below 2^64 mod range would favour the first integers.
  const std::uint64_t threshold = (0 - range) % range;
  std::uint64_t x = next();
  while (x < threshold) x = next();
  return low + static_cast<int>(x % range);
}

double Random::normal() {
  // Box and Muller; 1 - uniform() is never zero. The second number is dropped to keep the stream free of
  // state.
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

}  // namespace gcan::sim::shallow_water
