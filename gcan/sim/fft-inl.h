// Runs an FftPlan. Included once per instruction set, hence Highway's form of include guard.
//
// kFused selects fused multiply-add, which is faster; without it every instruction set gives the same bits.
#if defined(GCAN_SIM_FFT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GCAN_SIM_FFT_INL_H_
#undef GCAN_SIM_FFT_INL_H_
#else
#define GCAN_SIM_FFT_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "gcan/sim/fft.h"

HWY_BEFORE_NAMESPACE();
namespace gcan::sim {
namespace HWY_NAMESPACE {
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
// a + (kSign i) b
template <int kSign, typename T>
HWY_INLINE Complex<T> add_i(Complex<T> a, Complex<T> b) {
  if constexpr (kSign > 0) {
    return {hn::Sub(a.re, b.im), hn::Add(a.im, b.re)};
  } else {
    return {hn::Add(a.re, b.im), hn::Sub(a.im, b.re)};
  }
}
// a b + c and c - a b
template <bool kFused, typename V>
HWY_INLINE V add_product(V a, V b, V c) {
  if constexpr (kFused) return hn::MulAdd(a, b, c);
  return hn::Add(hn::Mul(a, b), c);
}
template <bool kFused, typename V>
HWY_INLINE V subtract_product(V a, V b, V c) {
  if constexpr (kFused) return hn::NegMulAdd(a, b, c);
  return hn::Sub(c, hn::Mul(a, b));
}
// a (cos + kSign i sin)
template <int kSign, bool kFused, typename T>
HWY_INLINE Complex<T> turn(Complex<T> a, Vec<T> cos, Vec<T> sin) {
  const Vec<T> re = hn::Mul(a.re, cos), im = hn::Mul(a.im, cos);
  if constexpr (kSign > 0) {
    return {subtract_product<kFused>(a.im, sin, re), add_product<kFused>(a.re, sin, im)};
  } else {
    return {add_product<kFused>(a.im, sin, re), subtract_product<kFused>(a.re, sin, im)};
  }
}
template <typename T>
HWY_INLINE Complex<T> scaled(Complex<T> a, T factor) {
  const Vec<T> f = hn::Set(Tag<T>(), factor);
  return {hn::Mul(a.re, f), hn::Mul(a.im, f)};
}
template <bool kFused, typename T>
HWY_INLINE Complex<T> add_scaled(Complex<T> a, T factor, Complex<T> b) {
  const Vec<T> f = hn::Set(Tag<T>(), factor);
  return {add_product<kFused>(b.re, f, a.re), add_product<kFused>(b.im, f, a.im)};
}

// Transforms of a few points, x_j <- sum_i x_i exp(kSign 2 pi i (i j) / radix).
template <int kSign, bool kFused, typename T>
HWY_INLINE void butterfly(Complex<T> (&x)[2]) {
  const Complex<T> a = x[0];
  x[0] = a + x[1];
  x[1] = a - x[1];
}
template <int kSign, bool kFused, typename T>
HWY_INLINE void butterfly(Complex<T> (&x)[3]) {
  constexpr T kSin60 = static_cast<T>(0.866025403784438646763723170752936183L);
  const Complex<T> sum = x[1] + x[2];
  const Complex<T> side = scaled(x[1] - x[2], kSin60);
  const Complex<T> middle = add_scaled<kFused>(x[0], T(-0.5), sum);
  x[0] = x[0] + sum;
  x[1] = add_i<kSign>(middle, side);
  x[2] = add_i<-kSign>(middle, side);
}
template <int kSign, bool kFused, typename T>
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
template <int kSign, bool kFused, typename T>
HWY_INLINE void butterfly(Complex<T> (&x)[5]) {
  constexpr T kCos72 = static_cast<T>(0.309016994374947424102293417182819059L);
  constexpr T kCos144 = static_cast<T>(-0.809016994374947424102293417182819059L);
  constexpr T kSin72 = static_cast<T>(0.951056516295153572116439333379382143L);
  constexpr T kSin144 = static_cast<T>(0.587785252292473129168705954639072769L);
  const Complex<T> a = x[1] + x[4];
  const Complex<T> b = x[2] + x[3];
  const Complex<T> c = x[1] - x[4];
  const Complex<T> e = x[2] - x[3];
  const Complex<T> p = add_scaled<kFused>(add_scaled<kFused>(x[0], kCos72, a), kCos144, b);
  const Complex<T> q = add_scaled<kFused>(add_scaled<kFused>(x[0], kCos144, a), kCos72, b);
  const Complex<T> r = add_scaled<kFused>(scaled(c, kSin72), kSin144, e);
  const Complex<T> s = add_scaled<kFused>(scaled(c, kSin144), -kSin72, e);
  x[0] = x[0] + a + b;
  x[1] = add_i<kSign>(p, r);
  x[4] = add_i<-kSign>(p, r);
  x[2] = add_i<kSign>(q, s);
  x[3] = add_i<-kSign>(q, s);
}

// One point: the line of real parts, then that of imaginary parts.
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

// kSign > 0: twiddle factors, then butterfly (decimation in time); kSign < 0: the transpose.
template <int kSign, bool kFused, int kRadix, typename T>
HWY_INLINE void small_stage(int n, const typename FftPlan<T>::Stage& stage, T* points) {
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
        T* at = points + start * kPoint<T> + lane;
        Complex<T> x[kRadix];
        for (int j = 0; j < kRadix; ++j) x[j] = load<T>(at + j * span * kPoint<T>);
        if constexpr (kSign > 0) {
          if (k > 0)
            for (int j = 1; j < kRadix; ++j) x[j] = turn<kSign, kFused>(x[j], cos[j], sin[j]);
        }
        butterfly<kSign, kFused, T>(x);
        if constexpr (kSign < 0) {
          if (k > 0)
            for (int j = 1; j < kRadix; ++j) x[j] = turn<kSign, kFused>(x[j], cos[j], sin[j]);
        }
        for (int j = 0; j < kRadix; ++j) store<T>(x[j], at + j * span * kPoint<T>);
      }
    }
  }
}

// The same with any radix, by definition.
template <int kSign, bool kFused, typename T>
void prime_stage(int n, const typename FftPlan<T>::Stage& stage, T* points) {
  const Tag<T> d;
  const std::ptrdiff_t span = stage.span, radix = stage.radix;
  const auto turned = [&](Complex<T> value, const T* angle) {
    return turn<kSign, kFused>(value, hn::Set(d, angle[0]), hn::Set(d, angle[1]));
  };
  const T* w = stage.twiddles.data();
  Array<T> inputs(static_cast<std::size_t>(radix * kPoint<T>));
  T* const x = inputs.data();
  for (std::ptrdiff_t k = 0; k < span; ++k, w += 2 * (radix - 1)) {
    const auto twiddled = [&](Complex<T> value, std::ptrdiff_t j) {
      return k == 0 || j == 0 ? value : turned(value, w + 2 * (j - 1));
    };
    for (std::ptrdiff_t start = k; start < n; start += span * radix) {
      for (int lane = 0; lane < kLine<T>; lane += static_cast<int>(hn::Lanes(d))) {
        T* const at = points + start * kPoint<T> + lane;
        for (std::ptrdiff_t j = 0; j < radix; ++j) {
          const Complex<T> value = load<T>(at + j * span * kPoint<T>);
          store<T>(kSign > 0 ? twiddled(value, j) : value, x + j * kPoint<T>);
        }
        for (std::ptrdiff_t j = 0; j < radix; ++j) {
          Complex<T> sum = load<T>(x);
          for (std::ptrdiff_t i = 1; i < radix; ++i) {
            sum = sum + turned(load<T>(x + i * kPoint<T>), stage.roots.data() + 2 * (i * j % radix));
          }
          store<T>(kSign < 0 ? twiddled(sum, j) : sum, at + j * span * kPoint<T>);
        }
      }
    }
  }
}

template <int kSign, bool kFused, typename T>
void run_stage(int n, const typename FftPlan<T>::Stage& stage, T* points) {
  switch (stage.radix) {
    case 2: return small_stage<kSign, kFused, 2, T>(n, stage, points);
    case 3: return small_stage<kSign, kFused, 3, T>(n, stage, points);
    case 4: return small_stage<kSign, kFused, 4, T>(n, stage, points);
    case 5: return small_stage<kSign, kFused, 5, T>(n, stage, points);
    default: return prime_stage<kSign, kFused, T>(n, stage, points);
  }
}

template <bool kFused, typename T>
void fft_forward(const FftPlan<T>& plan, T* points) {
  const auto stages = plan.stages();
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage)
    run_stage<-1, kFused, T>(plan.size(), *stage, points);
}
template <bool kFused, typename T>
void fft_backward(const FftPlan<T>& plan, T* points) {
  for (const auto& stage : plan.stages()) run_stage<1, kFused, T>(plan.size(), stage, points);
}

}  // namespace HWY_NAMESPACE
}  // namespace gcan::sim
HWY_AFTER_NAMESPACE();

#endif  // GCAN_SIM_FFT_INL_H_
