#include "gcan/base/random.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "gcan/base/philox.h"

namespace gcan::base {
namespace {

constexpr std::size_t kBlock = 64;  // pairs at a time; fits in the L1 cache

// Maps 32 bits to (0, 1), never 0: the largest normal number is 6.7.
inline double open_unit(std::uint32_t bits) {
  // Signed, because SSE2 can only convert vectors of signed integers.
  return (static_cast<double>(static_cast<std::int32_t>(bits ^ 0x80000000U)) + 0x1p31 + 0.5) * 0x1p-32;
}

// ln u for u in (0, 1). u = m 2^e with sqrt(1/2) <= m < sqrt(2), ln m = 2 artanh((m-1)/(m+1)) by its series.
// The C library's logarithm may differ in the last bit between versions and processors.
inline double log_of_unit(double u) {
  const auto bits = std::bit_cast<std::uint64_t>(u);
  // sqrt(1/2) <= m < sqrt(2) by taking the exponent of u sqrt(2).
  constexpr auto kHalf = std::bit_cast<std::uint64_t>(1 / std::numbers::sqrt2);
  constexpr std::uint64_t kFraction = (std::uint64_t{1} << 52) - 1;
  const std::uint64_t shifted = bits - kHalf + (std::uint64_t{1023} << 52);
  const auto exponent = static_cast<double>(static_cast<std::int32_t>(shifted >> 52) - 1023);
  const auto m = std::bit_cast<double>((shifted & kFraction) + kHalf);
  const double t = (m - 1) / (m + 1), t2 = t * t;
  double series = 1.0 / 17;
  for (int n = 15; n >= 1; n -= 2) series = series * t2 + 1.0 / n;
  return exponent * std::numbers::ln2 + 2 * t * series;
}

struct SineCosine {
  double sine, cosine;
};

// Sine and cosine of a uniform angle: two bits choose the quadrant, thirty the angle within it.
inline SineCosine random_direction(std::uint32_t bits) {
  const double x =
      (static_cast<double>(static_cast<std::int32_t>(bits >> 2)) + 0.5) * 0x1p-30 * (std::numbers::pi / 2) -
      std::numbers::pi / 4;
  const double x2 = x * x;
  double s = 0, c = 0;  // Taylor, |x| <= pi/4: the first terms left out are below 1e-15
  for (int n = 15; n >= 3; n -= 2) s = (s + 1) * x2 * (-1.0 / (n * (n - 1)));
  for (int n = 16; n >= 2; n -= 2) c = (c + 1) * x2 * (-1.0 / (n * (n - 1)));
  s = (s + 1) * x, c += 1;
  const double sign = 1.0 - static_cast<double>(static_cast<std::int32_t>(bits & 2U));
  const double swap = static_cast<double>(static_cast<std::int32_t>(bits & 1U)), keep = 1 - swap;
  return {sign * (keep * s + swap * c), sign * (keep * c - swap * s)};
}

struct Pair {
  double first, second;
};

inline Pair box_muller(std::uint32_t radius_bits, std::uint32_t angle_bits) {
  const double radius = std::sqrt(-2 * log_of_unit(open_unit(radius_bits)));
  const SineCosine direction = random_direction(angle_bits);
  return {radius * direction.cosine, radius * direction.sine};
}

PhiloxCounter words_of(std::uint64_t seed, std::uint64_t stream, std::uint64_t block) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  return philox4x32({low(block), high(block), low(stream), high(stream)}, {low(seed), high(seed)});
}

}  // namespace

void fill_normals(std::uint64_t seed, std::uint64_t stream, std::span<double> out) {
  std::array<std::uint32_t, 2 * kBlock> words{};
  std::array<double, 2 * kBlock> normals{};
  std::uint64_t block = 0;
  for (std::size_t begin = 0; begin < out.size(); begin += normals.size()) {
    const std::size_t wanted = std::min(normals.size(), out.size() - begin), pairs = (wanted + 1) / 2;
    for (std::size_t i = 0; i < 2 * pairs; i += 4, ++block) {
      const PhiloxCounter four = words_of(seed, stream, block);
      std::copy(four.begin(), four.end(), words.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (std::size_t i = 0; i < pairs; ++i) {
      const Pair pair = box_muller(words[2 * i], words[2 * i + 1]);
      normals[2 * i] = pair.first;
      normals[2 * i + 1] = pair.second;
    }
    std::copy_n(normals.begin(), wanted, out.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

std::pair<double, double> normal_pair(std::uint64_t seed, std::uint64_t stream, std::uint32_t index) {
  const PhiloxCounter words = words_of(seed, stream, index);
  const Pair pair = box_muller(words[0], words[1]);
  return {pair.first, pair.second};
}

std::uint32_t Random::next() {
  if (used_ == words_.size()) {
    words_ = words_of(seed_, stream_, block_++);
    used_ = 0;
  }
  return words_[used_++];
}

double Random::uniform() {
  const std::uint64_t high = next();
  return static_cast<double>((high << 32 | next()) >> 11) * 0x1p-53;
}

double Random::uniform(double low, double high) { return low + (high - low) * uniform(); }

int Random::integer(int low, int high) {
  const auto range = static_cast<std::uint64_t>(static_cast<std::int64_t>(high) - low) + 1;
  // Rejects the last 2^32 mod range words, which would favour the first integers.
  const std::uint64_t even = (std::uint64_t{1} << 32) / range * range;
  std::uint64_t word = next();
  while (word >= even) word = next();
  return static_cast<int>(low + static_cast<std::int64_t>(word % range));
}

double Random::normal() {
  const std::uint32_t radius = next();
  return box_muller(radius, next()).first;
}

}  // namespace gcan::base
