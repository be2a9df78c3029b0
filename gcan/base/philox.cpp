#include "gcan/base/philox.h"

#include <cmath>

namespace gcan::base {

PhiloxCounter philox4x32(PhiloxCounter c, PhiloxKey k) {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = kMultiplier0 * c[0], p1 = kMultiplier1 * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(p0)};
    k = {k[0] + kWeyl0, k[1] + kWeyl1};
  }
  return c;
}

double portable_log(double x) {
  // x = m 2^e with sqrt(1/2) <= m < sqrt(2); ln m = 2 artanh(t), t = (m-1)/(m+1), |t| < 0.172, so the
  // series t^(2n+1)/(2n+1) up to n = 10 leaves less than 1e-18.
  int e = 0;
  double m = std::frexp(x, &e);
  if (m < 0.70710678118654752) {
    m *= 2;
    --e;
  }
  const double t = (m - 1) / (m + 1), t2 = t * t;
  double series = 0;
  for (int n = 10; n >= 1; --n) series = (series + 1.0 / (2 * n + 1)) * t2;
  // ln 2 in two parts: the first has 21 trailing zero bits, so e * first is exact.
  constexpr double kLn2High = 0x1.62e42fee00000p-1, kLn2Low = 0x1.a39ef35793c76p-33;
  return e * kLn2High + (2 * t + (2 * t * series + e * kLn2Low));
}

std::pair<double, double> normal_pair(std::uint64_t seed, std::uint64_t stream, std::uint32_t index) {
  const PhiloxKey key{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  for (std::uint32_t attempt = 0;; ++attempt) {
    const PhiloxCounter bits = philox4x32(
        {attempt, index, static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)}, key);
    // 53-bit uniforms in [-1, 1).
    const auto uniform = [&](std::size_t i) {
      const std::uint64_t word = (std::uint64_t{bits[i + 1]} << 32) | bits[i];
      return static_cast<double>(word >> 11) * 0x1p-52 - 1.0;
    };
    const double a = uniform(0), b = uniform(2), r2 = a * a + b * b;
    if (r2 >= 1 || r2 == 0) continue;
    const double scale = std::sqrt(-2 * portable_log(r2) / r2);
    return {a * scale, b * scale};
  }
}

}  // namespace gcan::base
