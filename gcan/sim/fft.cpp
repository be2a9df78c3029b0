#include "gcan/sim/fft.h"

#include "gcan/sim/angles.h"

namespace gcan::sim {
namespace {

// Radix 4 first: its stage at span 1 has no twiddle factors, and it does most of the work per pass.
std::vector<int> radices_of(int n) {
  std::vector<int> radices;
  const auto divide = [&](int radix) {
    for (; n % radix == 0; n /= radix) radices.push_back(radix);
  };
  for (const int radix : {4, 2, 3, 5}) divide(radix);
  for (int prime = 7; prime * prime <= n; prime += 2) divide(prime);
  if (n > 1) radices.push_back(n);
  return radices;
}

// cos, sin of 2 pi numerator / denominator
template <typename T>
void append_angle(Array<T>& angles, int numerator, int denominator) {
  angles.push_back(static_cast<T>(cos_pi(2 * numerator, denominator)));
  angles.push_back(static_cast<T>(sin_pi(2 * numerator, denominator)));
}

}  // namespace

template <typename T>
FftPlan<T>::FftPlan(int n) : n_(n), places_(static_cast<std::size_t>(n)) {
  int span = 1;
  for (const int radix : radices_of(n)) {
    Stage stage{radix, span, {}, {}};
    for (int k = 0; k < span; ++k) {
      for (int j = 1; j < radix; ++j) append_angle(stage.twiddles, j * k, span * radix);
    }
    for (int j = 0; j < radix; ++j) append_angle(stage.roots, j, radix);
    stages_.push_back(std::move(stage));
    span *= radix;
  }
  // The last stage combines `radix` transforms of the wavenumbers k = i mod radix, which are in consecutive
  // blocks; the previous stages order each block in the same way.
  for (int k = 0; k < n; ++k) {
    int rest = k;
    int place = 0;
    for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) {
      place += rest % stage->radix * stage->span;
      rest /= stage->radix;
    }
    places_[static_cast<std::size_t>(k)] = place;
  }
}

template class FftPlan<float>;
template class FftPlan<double>;

}  // namespace gcan::sim
