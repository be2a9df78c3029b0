#include "gcan/sim/shallow_water/circles.h"

#include "gcan/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gcan/sim/shallow_water/circles.cpp"
// Highway in this order: foreach_target includes this file once per instruction set.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "gcan/sim/fft-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gcan::sim::shallow_water {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace gcan::sim::HWY_NAMESPACE;  // NOLINT(google-build-using-namespace): this target's FFT

// Z_k = north + i south for k = m and k = -m from the parity halves, in permuted places; zero elsewhere.
template <typename T>
void scatter(const FftPlan<T>& plan, int orders, const T* fourier, T* rows) {
  const Tag<T> d;
  const int n = plan.size();
  const int* place = plan.places().data();
  for (int k = orders; k <= n - orders; ++k) std::fill_n(rows + place[k] * kPoint<T>, kPoint<T>, T(0));
  for (int lane = 0; lane < kLine<T>; lane += static_cast<int>(hn::Lanes(d))) {
    for (int m = 0; m < orders; ++m) {
      const T* at = fourier + static_cast<std::ptrdiff_t>(m) * 4 * kLine<T> + lane;
      const Complex<T> even = load<T>(at);
      const Complex<T> odd = load<T>(at + kPoint<T>);
      const Complex<T> north = even + odd;
      const Complex<T> south = even - odd;
      store<T>(add_i<1>(north, south), rows + place[m] * kPoint<T> + lane);
      if (m == 0) continue;
      // conj(north) + i conj(south)
      const Complex<T> mirror{hn::Add(north.re, south.im), hn::Sub(south.re, north.im)};
      store<T>(mirror, rows + place[n - m] * kPoint<T> + lane);
    }
  }
}

template <typename T>
void gather(const FftPlan<T>& plan, int orders, const T* rows, T* fourier) {
  const Tag<T> d;
  const int n = plan.size();
  const int* place = plan.places().data();
  for (int lane = 0; lane < kLine<T>; lane += static_cast<int>(hn::Lanes(d))) {
    for (int m = 0; m < orders; ++m) {
      const Complex<T> a = load<T>(rows + place[m] * kPoint<T> + lane);
      const Complex<T> b = load<T>(rows + place[m == 0 ? 0 : n - m] * kPoint<T> + lane);
      const Complex<T> north{hn::Add(a.re, b.re), hn::Sub(a.im, b.im)};
      const Complex<T> south{hn::Add(a.im, b.im), hn::Sub(b.re, a.re)};
      T* at = fourier + static_cast<std::ptrdiff_t>(m) * 4 * kLine<T> + lane;
      store<T>(north + south, at);
      store<T>(north - south, at + kPoint<T>);
    }
  }
}

template <typename T>
void to_grid(const FftPlan<T>& plan, int orders, const T* fourier, T* rows) {
  scatter(plan, orders, fourier, rows);
  fft_backward</*kFused=*/true>(plan, rows);
}
template <typename T>
void to_circles(const FftPlan<T>& plan, int orders, T* rows, T* fourier) {
  fft_forward</*kFused=*/true>(plan, rows);
  gather(plan, orders, rows, fourier);
}

void to_grid_float(const FftPlan<float>& plan, int orders, const float* fourier, float* rows) {
  to_grid(plan, orders, fourier, rows);
}
void to_grid_double(const FftPlan<double>& plan, int orders, const double* fourier, double* rows) {
  to_grid(plan, orders, fourier, rows);
}
void to_circles_float(const FftPlan<float>& plan, int orders, float* rows, float* fourier) {
  to_circles(plan, orders, rows, fourier);
}
void to_circles_double(const FftPlan<double>& plan, int orders, double* rows, double* fourier) {
  to_circles(plan, orders, rows, fourier);
}

}  // namespace HWY_NAMESPACE
}  // namespace gcan::sim::shallow_water
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gcan::sim::shallow_water {

HWY_EXPORT(to_grid_float);
HWY_EXPORT(to_grid_double);
HWY_EXPORT(to_circles_float);
HWY_EXPORT(to_circles_double);

void circles_to_grid(const FftPlan<float>& plan, int orders, const float* fourier, float* rows) {
  HWY_DYNAMIC_DISPATCH(to_grid_float)(plan, orders, fourier, rows);
}
void circles_to_grid(const FftPlan<double>& plan, int orders, const double* fourier, double* rows) {
  HWY_DYNAMIC_DISPATCH(to_grid_double)(plan, orders, fourier, rows);
}
void grid_to_circles(const FftPlan<float>& plan, int orders, float* rows, float* fourier) {
  HWY_DYNAMIC_DISPATCH(to_circles_float)(plan, orders, rows, fourier);
}
void grid_to_circles(const FftPlan<double>& plan, int orders, double* rows, double* fourier) {
  HWY_DYNAMIC_DISPATCH(to_circles_double)(plan, orders, rows, fourier);
}

}  // namespace gcan::sim::shallow_water
#endif
