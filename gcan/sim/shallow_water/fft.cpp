#include "gcan/sim/shallow_water/fft.h"

#include <cmath>
#include <cstddef>
#include <numbers>

#include "gcan/sim/shallow_water/fft_kernels.h"

namespace gcan::sim::shallow_water {
namespace {

// Radix 4 first: its stage at span 1 has no twiddle factors, and it does most of the work per pass.
std::vector<int> radices_of(int n) {
  std::vector<int> radices;
  for (const int radix : {4, 2, 3, 5}) {
    for (; n % radix == 0; n /= radix) radices.push_back(radix);
  }
  if (n != 1) radices.clear();
  return radices;
}

}  // namespace

bool fft_supports(int n) { return n > 1 && !radices_of(n).empty(); }

template <typename T>
FftPlan<T>::FftPlan(int n) : n_(n), place_(static_cast<std::size_t>(n)) {
  int span = 1;
  for (const int radix : radices_of(n)) {
    Stage stage{radix, span, {}};
    for (int k = 0; k < span; ++k) {
      for (int j = 1; j < radix; ++j) {
        const long double angle = 2.0L * std::numbers::pi_v<long double> * static_cast<long double>(j * k) /
                                  static_cast<long double>(span * radix);
        stage.twiddles.push_back(static_cast<T>(std::cos(angle)));
        stage.twiddles.push_back(static_cast<T>(std::sin(angle)));
      }
    }
    stages_.push_back(std::move(stage));
    span *= radix;
  }
  // The last stage joins `radix` transforms of the wavenumbers k = i mod radix, which lie in consecutive
  // blocks; each block is ordered in the same way by the stages before.
  for (int k = 0; k < n; ++k) {
    int rest = k;
    int place = 0;
    for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) {
      place += rest % stage->radix * stage->span;
      rest /= stage->radix;
    }
    place_[static_cast<std::size_t>(k)] = place;
  }
}

template <typename T>
void FftPlan<T>::to_grid(int orders, const T* fourier, T* rows) const {
  fft_scatter(n_, orders, place_.data(), fourier, rows);
  for (const Stage& stage : stages_) fft_stage_to_grid(n_, stage, rows);
}

template <typename T>
void FftPlan<T>::to_fourier(int orders, T* rows, T* fourier) const {
  for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage)
    fft_stage_to_fourier(n_, *stage, rows);
  fft_gather(n_, orders, place_.data(), rows, fourier);
}

template class FftPlan<float>;
template class FftPlan<double>;

}  // namespace gcan::sim::shallow_water
