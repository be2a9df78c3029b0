#include "gcan/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gcan/sim/shallow_water/fft_kernels.cpp"
// Highway in this order: foreach_target includes this file once per instruction set.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "gcan/sim/shallow_water/fft_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace gcan::sim::shallow_water::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using Tag = hn::ScalableTag<T>;
template <typename T>
using Vec = hn::Vec<Tag<T>>;

template <typename T>
struct Complex {
  Vec<T> re;
  Vec<T> im;
};

template <typename T>
HWY_INLINE Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)};
}
template <typename T>
HWY_INLINE Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)};
}
// a + (kSign i) b, without the negation that times_i would spend.
template <int kSign, typename T>
HWY_INLINE Complex<T> add_i(Complex<T> a, Complex<T> b) {
  if constexpr (kSign > 0) {
    return {hn::Sub(a.re, b.im), hn::Add(a.im, b.re)};
  } else {
    return {hn::Add(a.re, b.im), hn::Sub(a.im, b.re)};
  }
}
// a * (cos + kSign i sin)
template <int kSign, typename T>
HWY_INLINE Complex<T> turn(Complex<T> a, Vec<T> cos, Vec<T> sin) {
  if constexpr (kSign > 0) {
    return {hn::MulSub(a.re, cos, hn::Mul(a.im, sin)), hn::MulAdd(a.re, sin, hn::Mul(a.im, cos))};
  } else {
    return {hn::MulAdd(a.re, cos, hn::Mul(a.im, sin)), hn::NegMulAdd(a.re, sin, hn::Mul(a.im, cos))};
  }
}
template <typename T>
HWY_INLINE Complex<T> scaled(Complex<T> a, T factor) {
  const Vec<T> f = hn::Set(Tag<T>(), factor);
  return {hn::Mul(a.re, f), hn::Mul(a.im, f)};
}
template <typename T>
HWY_INLINE Complex<T> add_scaled(Complex<T> a, T factor, Complex<T> b) {
  const Vec<T> f = hn::Set(Tag<T>(), factor);
  return {hn::MulAdd(b.re, f, a.re), hn::MulAdd(b.im, f, a.im)};
}

// Discrete Fourier transforms of kRadix points, x_j <- sum_i x_i exp(kSign 2 pi i (i j) / kRadix).
template <int kSign, typename T>
HWY_INLINE void butterfly(Complex<T> (&x)[2]) {
  const Complex<T> a = x[0];
  x[0] = a + x[1];
  x[1] = a - x[1];
}
template <int kSign, typename T>
HWY_INLINE void butterfly(Complex<T> (&x)[3]) {
  constexpr T kSin60 = static_cast<T>(0.866025403784438646763723170752936183L);
  const Complex<T> sum = x[1] + x[2];
  const Complex<T> side = scaled(x[1] - x[2], kSin60);
  const Complex<T> middle = add_scaled(x[0], T(-0.5), sum);
  x[0] = x[0] + sum;
  x[1] = add_i<kSign>(middle, side);
  x[2] = add_i<-kSign>(middle, side);
}
template <int kSign, typename T>
HWY_INLINE void butterfly(Complex<T> (&x)[4]) {
  const Complex<T> a = x[0] + x[2];
  const Complex<T> b = x[0] - x[2];
  const Complex<T> c = x[1] + x[3];
  const Complex<T> e = x[1] - x[3];
  x[0] = a + c;
  x[1] = add_i<kSign>(b, e);
  x[2] = a - c;
  x[3] = add_i<-kSign>(b, e);
}
template <int kSign, typename T>
HWY_INLINE void butterfly(Complex<T> (&x)[5]) {
  constexpr T kCos72 = static_cast<T>(0.309016994374947424102293417182819059L);
  constexpr T kCos144 = static_cast<T>(-0.809016994374947424102293417182819059L);
  constexpr T kSin72 = static_cast<T>(0.951056516295153572116439333379382143L);
  constexpr T kSin144 = static_cast<T>(0.587785252292473129168705954639072769L);
  const Complex<T> a = x[1] + x[4];
  const Complex<T> b = x[2] + x[3];
  const Complex<T> c = x[1] - x[4];
  const Complex<T> e = x[2] - x[3];
  const Complex<T> p = add_scaled(add_scaled(x[0], kCos72, a), kCos144, b);
  const Complex<T> q = add_scaled(add_scaled(x[0], kCos144, a), kCos72, b);
  const Complex<T> r = add_scaled(scaled(c, kSin72), kSin144, e);
  const Complex<T> s = add_scaled(scaled(c, kSin144), -kSin72, e);
  x[0] = x[0] + a + b;
  x[1] = add_i<kSign>(p, r);
  x[4] = add_i<-kSign>(p, r);
  x[2] = add_i<kSign>(q, s);
  x[3] = add_i<-kSign>(q, s);
}

// One longitude of the band: the line of real parts, then that of imaginary parts.
template <typename T>
inline constexpr std::ptrdiff_t kPoint = 2 * kLine<T>;

template <typename T>
HWY_INLINE Complex<T> load(const T* at) {
  const Tag<T> d;
  return {hn::Load(d, at), hn::Load(d, at + kLine<T>)};
}
template <typename T>
HWY_INLINE void store(Complex<T> value, T* at) {
  const Tag<T> d;
  hn::Store(value.re, d, at);
  hn::Store(value.im, d, at + kLine<T>);
}

// kSign > 0: twiddle, then butterfly (decimation in time); kSign < 0: the transpose.
template <int kSign, int kRadix, typename T>
HWY_INLINE void stage_body(int n, const typename FftPlan<T>::Stage& stage, T* rows) {
  const Tag<T> d;
  const std::ptrdiff_t span = stage.span;
  const T* w = stage.twiddles.data();
  for (std::ptrdiff_t k = 0; k < span; ++k, w += 2 * (kRadix - 1)) {
    Vec<T> cos[kRadix];
    Vec<T> sin[kRadix];
    for (int j = 1; j < kRadix; ++j) {
      cos[j] = hn::Set(d, w[2 * j - 2]);
      sin[j] = hn::Set(d, w[2 * j - 1]);
    }
    for (std::ptrdiff_t start = k; start < n; start += span * kRadix) {
      for (int lane = 0; lane < kLine<T>; lane += static_cast<int>(hn::Lanes(d))) {
        T* at = rows + start * kPoint<T> + lane;
        Complex<T> x[kRadix];
        for (int j = 0; j < kRadix; ++j) x[j] = load<T>(at + j * span * kPoint<T>);
        if constexpr (kSign > 0) {
          if (k > 0)
            for (int j = 1; j < kRadix; ++j) x[j] = turn<kSign, T>(x[j], cos[j], sin[j]);
        }
        butterfly<kSign, T>(x);
        if constexpr (kSign < 0) {
          if (k > 0)
            for (int j = 1; j < kRadix; ++j) x[j] = turn<kSign, T>(x[j], cos[j], sin[j]);
        }
        for (int j = 0; j < kRadix; ++j) store<T>(x[j], at + j * span * kPoint<T>);
      }
    }
  }
}

template <int kSign, typename T>
void run_stage(int n, const typename FftPlan<T>::Stage& stage, T* rows) {
  switch (stage.radix) {
    case 2: return stage_body<kSign, 2, T>(n, stage, rows);
    case 3: return stage_body<kSign, 3, T>(n, stage, rows);
    case 4: return stage_body<kSign, 4, T>(n, stage, rows);
    default: return stage_body<kSign, 5, T>(n, stage, rows);
  }
}

template <typename T>
void scatter(int n, int orders, const int* place, const T* fourier, T* rows) {
  const Tag<T> d;
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
void gather(int n, int orders, const int* place, const T* rows, T* fourier) {
  const Tag<T> d;
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

void scatter_float(int n, int orders, const int* place, const float* fourier, float* rows) {
  scatter(n, orders, place, fourier, rows);
}
void scatter_double(int n, int orders, const int* place, const double* fourier, double* rows) {
  scatter(n, orders, place, fourier, rows);
}
void gather_float(int n, int orders, const int* place, const float* rows, float* fourier) {
  gather(n, orders, place, rows, fourier);
}
void gather_double(int n, int orders, const int* place, const double* rows, double* fourier) {
  gather(n, orders, place, rows, fourier);
}
void to_grid_float(int n, const FftPlan<float>::Stage& stage, float* rows) {
  run_stage<1, float>(n, stage, rows);
}
void to_grid_double(int n, const FftPlan<double>::Stage& stage, double* rows) {
  run_stage<1, double>(n, stage, rows);
}
void to_fourier_float(int n, const FftPlan<float>::Stage& stage, float* rows) {
  run_stage<-1, float>(n, stage, rows);
}
void to_fourier_double(int n, const FftPlan<double>::Stage& stage, double* rows) {
  run_stage<-1, double>(n, stage, rows);
}

}  // namespace gcan::sim::shallow_water::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gcan::sim::shallow_water {

HWY_EXPORT(scatter_float);
HWY_EXPORT(scatter_double);
HWY_EXPORT(gather_float);
HWY_EXPORT(gather_double);
HWY_EXPORT(to_grid_float);
HWY_EXPORT(to_grid_double);
HWY_EXPORT(to_fourier_float);
HWY_EXPORT(to_fourier_double);

void fft_scatter(int n, int orders, const int* place, const float* fourier, float* rows) {
  HWY_DYNAMIC_DISPATCH(scatter_float)(n, orders, place, fourier, rows);
}
void fft_scatter(int n, int orders, const int* place, const double* fourier, double* rows) {
  HWY_DYNAMIC_DISPATCH(scatter_double)(n, orders, place, fourier, rows);
}
void fft_gather(int n, int orders, const int* place, const float* rows, float* fourier) {
  HWY_DYNAMIC_DISPATCH(gather_float)(n, orders, place, rows, fourier);
}
void fft_gather(int n, int orders, const int* place, const double* rows, double* fourier) {
  HWY_DYNAMIC_DISPATCH(gather_double)(n, orders, place, rows, fourier);
}
void fft_stage_to_grid(int n, const FftPlan<float>::Stage& stage, float* rows) {
  HWY_DYNAMIC_DISPATCH(to_grid_float)(n, stage, rows);
}
void fft_stage_to_grid(int n, const FftPlan<double>::Stage& stage, double* rows) {
  HWY_DYNAMIC_DISPATCH(to_grid_double)(n, stage, rows);
}
void fft_stage_to_fourier(int n, const FftPlan<float>::Stage& stage, float* rows) {
  HWY_DYNAMIC_DISPATCH(to_fourier_float)(n, stage, rows);
}
void fft_stage_to_fourier(int n, const FftPlan<double>::Stage& stage, double* rows) {
  HWY_DYNAMIC_DISPATCH(to_fourier_double)(n, stage, rows);
}

}  // namespace gcan::sim::shallow_water
#endif
