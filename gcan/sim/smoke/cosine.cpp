#include "gcan/sim/smoke/cosine.h"

#include <algorithm>

#include "gcan/base/simd_targets.h"
#include "gcan/sim/angles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gcan/sim/smoke/cosine.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "gcan/sim/fft-inl.h"

// As in advection.cpp: no fused multiply-add, the same bits from every instruction set.
HWY_BEFORE_NAMESPACE();
namespace gcan::sim::smoke {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace gcan::sim::HWY_NAMESPACE;  // NOLINT(google-build-using-namespace): this target's FFT

template <class Real>
using Plan = typename CosineTransform<Real>::Plan;

// Calls body(low, high, cosine, sine) for each pair of wavenumbers k and n-k, k = 0..n/2, with their points
// and the factors of pi k/(2n); k = 0 and k = n/2 are their own partners. place(k) is the point of k.
template <class Real, class Place, class Body>
HWY_INLINE void for_each_pair(Plan<Real>& plan, Place place, Body body) {
  const int n = plan.fft.size();
  for (int k = 0; k <= n / 2; ++k) {
    const auto at = static_cast<std::size_t>(k);
    body(plan.points.data() + place(k) * kPoint<Real>,
         plan.points.data() + place(k == 0 ? 0 : n - k) * kPoint<Real>, plan.cosine[at], plan.sine[at]);
  }
}

// For two real columns a, b, Z = FFT(a + i b), and with w = exp(-i pi k/(2n)) = c - i s and
// A_k = (Z_k + conj Z_(n-k))/2, the cosine transform is X_k = Re(w A_k) = c Re A + s Im A and
// X_(n-k) = s Re A - c Im A. That matrix is its own inverse.
template <class Real>
void split_spectrum(Plan<Real>& plan) {
  const Tag<Real> d;
  const auto half = hn::Set(d, Real(0.5));
  const int* const place = plan.fft.places().data();
  for_each_pair<Real>(
      plan, [place](int k) { return place[k]; },
      [&](Real* low, Real* high, Real cosine, Real sine) {
        const auto hc = hn::Mul(half, hn::Set(d, cosine)), hs = hn::Mul(half, hn::Set(d, sine));
        for (int q = 0; q < kLine<Real>; q += static_cast<int>(hn::Lanes(d))) {
          const auto zk = load<Real>(low + q), zn = load<Real>(high + q);
          const auto a_re = hn::Add(zk.re, zn.re), a_im = hn::Sub(zk.im, zn.im);
          const auto b_re = hn::Add(zk.im, zn.im), b_im = hn::Sub(zn.re, zk.re);
          store<Real>(
              {hn::Sub(hn::Mul(hs, a_re), hn::Mul(hc, a_im)), hn::Sub(hn::Mul(hs, b_re), hn::Mul(hc, b_im))},
              high + q);
          store<Real>(
              {hn::Add(hn::Mul(hc, a_re), hn::Mul(hs, a_im)), hn::Add(hn::Mul(hc, b_re), hn::Mul(hs, b_im))},
              low + q);
        }
      });
}

// The inverse of split_spectrum, divided by n, from ordered wavenumbers. Real and imaginary parts are
// exchanged, here and after the FFT, which makes a forward FFT the inverse one.
template <class Real>
void join_spectrum(Plan<Real>& plan) {
  const Tag<Real> d;
  const auto scale = hn::Set(d, Real(1) / static_cast<Real>(plan.fft.size()));
  for_each_pair<Real>(
      plan, [](int k) { return k; },
      [&](Real* low, Real* high, Real cosine, Real sine) {
        const auto c = hn::Mul(scale, hn::Set(d, cosine)), s = hn::Mul(scale, hn::Set(d, sine));
        for (int q = 0; q < kLine<Real>; q += static_cast<int>(hn::Lanes(d))) {
          const auto xk = load<Real>(low + q);
          auto xn = load<Real>(high + q);
          if (sine == 0) xn = {hn::Zero(d), hn::Zero(d)};  // k = 0
          const auto a_re = hn::Add(hn::Mul(c, xk.re), hn::Mul(s, xn.re));
          const auto a_im = hn::Sub(hn::Mul(s, xk.re), hn::Mul(c, xn.re));
          const auto b_re = hn::Add(hn::Mul(c, xk.im), hn::Mul(s, xn.im));
          const auto b_im = hn::Sub(hn::Mul(s, xk.im), hn::Mul(c, xn.im));
          store<Real>({hn::Sub(b_re, a_im), hn::Add(a_re, b_im)}, high + q);
          store<Real>({hn::Add(a_im, b_re), hn::Sub(a_re, b_im)}, low + q);
        }
      });
}

// A whole line's width is a constant for the compiler, so that the copy is a load and a store.
template <class Real>
HWY_INLINE void copy_line(const Real* from, int width, Real* to) {
  if (width == kLine<Real>)
    std::copy_n(from, kLine<Real>, to);
  else
    std::copy_n(from, width, to);
}

// Copies the column pairs from, from + 1, ... (at most a line) of a row of the matrix to a point and back;
// `exchanged`: real and imaginary parts are exchanged.
template <class Real>
struct Columns {
  Real *matrix, *points;
  int columns, from;

  [[nodiscard]] int width() const { return std::min(kLine<Real>, columns / 2 - from); }
  [[nodiscard]] Real* row(int j) const { return matrix + static_cast<std::ptrdiff_t>(j) * columns + from; }
  [[nodiscard]] Real* point(int i) const { return points + i * kPoint<Real>; }
  HWY_INLINE void gather(int j, int i) const {
    copy_line(row(j), width(), point(i));
    copy_line(row(j) + columns / 2, width(), point(i) + kLine<Real>);
  }
  HWY_INLINE void scatter(int j, int i, bool exchanged) const {
    copy_line(point(i) + (exchanged ? kLine<Real> : 0), width(), row(j));
    copy_line(point(i) + (exchanged ? 0 : kLine<Real>), width(), row(j) + columns / 2);
  }
};

template <class Real>
void transform(Plan<Real>& plan, Real* matrix, int columns, bool inverse) {
  const int n = plan.fft.size();
  const int* const place = plan.fft.places().data();
  // Makhoul's order: the even rows upwards, then the odd ones downwards.
  const auto makhoul = [n](int j) { return j < n / 2 ? 2 * j : 2 * (n - 1 - j) + 1; };
  for (int from = 0; from < columns / 2; from += kLine<Real>) {
    const Columns<Real> part{matrix, plan.points.data(), columns, from};
    for (int j = 0; j < n; ++j) part.gather(inverse ? j : makhoul(j), j);
    if (inverse) join_spectrum<Real>(plan);
    fft_forward</*kFused=*/false>(plan.fft, plan.points.data());
    if (!inverse) split_spectrum<Real>(plan);
    for (int j = 0; j < n; ++j) part.scatter(inverse ? makhoul(j) : j, place[j], inverse);
  }
}

void transform_float(CosineTransform<float>::Plan& plan, float* matrix, int columns, bool inverse) {
  transform<float>(plan, matrix, columns, inverse);
}
void transform_double(CosineTransform<double>::Plan& plan, double* matrix, int columns, bool inverse) {
  transform<double>(plan, matrix, columns, inverse);
}

}  // namespace HWY_NAMESPACE
}  // namespace gcan::sim::smoke
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gcan::sim::smoke {

HWY_EXPORT(transform_float);
HWY_EXPORT(transform_double);

template <class Real>
CosineTransform<Real>::CosineTransform(int n) : plan_{FftPlan<Real>(n), {}, {}, {}} {
  for (int k = 0; k <= n / 2; ++k) {
    plan_.cosine.push_back(static_cast<Real>(cos_pi(k, 2 * n)));
    plan_.sine.push_back(static_cast<Real>(sin_pi(k, 2 * n)));
  }
  plan_.points.resize(plan_.fft.numbers());
}

template <>
void CosineTransform<float>::forward(float* matrix, int columns) {
  HWY_DYNAMIC_DISPATCH(transform_float)(plan_, matrix, columns, false);
}
template <>
void CosineTransform<float>::inverse(float* matrix, int columns) {
  HWY_DYNAMIC_DISPATCH(transform_float)(plan_, matrix, columns, true);
}
template <>
void CosineTransform<double>::forward(double* matrix, int columns) {
  HWY_DYNAMIC_DISPATCH(transform_double)(plan_, matrix, columns, false);
}
template <>
void CosineTransform<double>::inverse(double* matrix, int columns) {
  HWY_DYNAMIC_DISPATCH(transform_double)(plan_, matrix, columns, true);
}

template class CosineTransform<float>;
template class CosineTransform<double>;

}  // namespace gcan::sim::smoke
#endif
