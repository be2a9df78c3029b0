#include "gcan/sim/shallow_water/legendre.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <type_traits>
#include <utility>

namespace gcan::sim::shallow_water {
namespace {

long double epsilon_extended(int l, int m) {
  const auto ll = static_cast<long double>(l);
  const auto mm = static_cast<long double>(m);
  return std::sqrt((ll * ll - mm * mm) / (4.0L * ll * ll - 1.0L));
}

// Functions of high order vanish towards the poles. Values below T's range are set to zero, because subnormal
// numbers slow the kernels down severalfold.
template <typename T>
T rounded(long double value) {
  constexpr long double kNothing = std::is_same_v<T, float> ? 1e-18L : 1e-100L;
  return std::abs(value) < kNothing ? T(0) : static_cast<T>(value);
}

}  // namespace

double epsilon(int l, int m) { return static_cast<double>(epsilon_extended(l, m)); }

std::vector<long double> associated_legendre(int m, int last, long double x) {
  // P_mm = (-1)^m sqrt((2m+1)!! / (2m)!! / (4 pi)) cos^m(latitude). The exponent range of extended
  // precision holds cos^m near the pole at T255, where that of double does not.
  const long double cosine = std::sqrt((1.0L - x) * (1.0L + x));
  long double sectoral = std::sqrt(0.25L / std::numbers::pi_v<long double>);
  for (int k = 1; k <= m; ++k) sectoral *= -cosine * std::sqrt(1.0L + 0.5L / static_cast<long double>(k));
  std::vector<long double> p(static_cast<std::size_t>(last - m + 1));
  p[0] = sectoral;
  long double before = 0.0L;
  for (int l = m + 1; l <= last; ++l) {
    const auto at = static_cast<std::size_t>(l - m);
    p[at] = (x * p[at - 1] - before) / epsilon_extended(l, m);
    before = epsilon_extended(l, m) * p[at - 1];
  }
  return p;
}

template <typename T>
LegendreTables<T>::LegendreTables(const SpectralLayout& layout, const GaussLegendre& rule, int longitudes) {
  const int pairs = static_cast<int>(rule.nodes.size()) / 2;
  bands = round_up_to_line<T>(pairs) / kLine<T>;
  for (int first = 0; first < bands; first += kBandsPerChunk) {
    Chunk chunk{first, std::min(kBandsPerChunk, bands - first), {}, {}};
    const int latitudes = chunk.bands * kLine<T>;
    chunk.synthesis.assign(static_cast<std::size_t>(layout.size * latitudes), T(0));
    chunk.analysis.assign(static_cast<std::size_t>(layout.size * latitudes), T(0));
    for (int i = 0; i < latitudes; ++i) {
      const int pair = first * kLine<T> + i;
      if (pair >= pairs) break;
      const auto at = static_cast<std::size_t>(pair);
      // Half of the quadrature of the circle: the two hemispheres arrive as sum and difference of halves.
      const long double weight = static_cast<long double>(rule.weights[at]) *
                                 std::numbers::pi_v<long double> / static_cast<long double>(longitudes);
      for (int m = 0; m <= layout.truncation; ++m) {
        const auto p =
            associated_legendre(m, layout.truncation + 1, static_cast<long double>(rule.nodes[at]));
        const int run = layout.run[static_cast<std::size_t>(m)];
        for (int l = m; l <= layout.truncation + 1; ++l) {
          const long double value = p[static_cast<std::size_t>(l - m)];
          const int row = layout.index(l, m);
          const int run_start = row - (l - m) / 2;
          chunk.synthesis[static_cast<std::size_t>(row * latitudes + i)] = rounded<T>(value);
          chunk.analysis[static_cast<std::size_t>(run_start * latitudes + i * run + (l - m) / 2)] =
              rounded<T>(value * weight);
        }
      }
    }
    chunks.push_back(std::move(chunk));
  }
}

template struct LegendreTables<float>;
template struct LegendreTables<double>;

}  // namespace gcan::sim::shallow_water
