#include "gcan/sim/smoke/cosine.h"

#include <algorithm>
#include <utility>

#include "gcan/base/simd_targets.h"
#include "gcan/sim/smoke/angles.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gcan/sim/smoke/cosine.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// As in advection.cpp: no fused multiply-add, the same bits from every instruction set.
HWY_BEFORE_NAMESPACE();
namespace gcan::sim::smoke {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Real>
using Tag = hn::CappedTag<Real, 8>;
template <class Real>
using Vec = hn::Vec<Tag<Real>>;

// A vector of complex numbers, and a pointer to rows of them.
template <class Real>
struct Complex {
  Vec<Real> re, im;
};
template <class Real>
struct Block {
  Real *re, *im;
};

template <class Real>
HWY_INLINE Complex<Real> load(Block<Real> b, int at) {
  const Tag<Real> d;
  return {hn::LoadU(d, b.re + at), hn::LoadU(d, b.im + at)};
}
template <class Real>
HWY_INLINE void store(Complex<Real> z, Block<Real> b, int at) {
  const Tag<Real> d;
  hn::StoreU(z.re, d, b.re + at);
  hn::StoreU(z.im, d, b.im + at);
}
template <class Real>
HWY_INLINE Complex<Real> add(Complex<Real> a, Complex<Real> b) {
  return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)};
}
template <class Real>
HWY_INLINE Complex<Real> sub(Complex<Real> a, Complex<Real> b) {
  return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)};
}
template <class Real>
HWY_INLINE Complex<Real> mul(Complex<Real> a, Real re, Real im) {
  const Tag<Real> d;
  const auto c = hn::Set(d, re), s = hn::Set(d, im);
  return {hn::Sub(hn::Mul(a.re, c), hn::Mul(a.im, s)), hn::Add(hn::Mul(a.re, s), hn::Mul(a.im, c))};
}

template <class Real>
using Pass = typename CosineTransform<Real>::Pass;

template <class Real>
void pass2(const Pass<Real>& pass, Block<Real> in, Block<Real> out) {
  const int line = pass.stride * CosineTransform<Real>::kBlock;
  const int lanes = static_cast<int>(hn::Lanes(Tag<Real>()));
  for (int p = 0; p < pass.span; ++p) {
    const Real c = pass.cosine[static_cast<std::size_t>(p)], s = pass.sine[static_cast<std::size_t>(p)];
    for (int q = 0; q < line; q += lanes) {
      const auto a = load(in, q + line * p), b = load(in, q + line * (p + pass.span));
      store(add<Real>(a, b), out, q + line * (2 * p));
      store(mul<Real>(sub<Real>(a, b), c, s), out, q + line * (2 * p + 1));
    }
  }
}

template <class Real>
void pass4(const Pass<Real>& pass, Block<Real> in, Block<Real> out) {
  const int line = pass.stride * CosineTransform<Real>::kBlock, m = pass.span;
  const int lanes = static_cast<int>(hn::Lanes(Tag<Real>()));
  for (int p = 0; p < m; ++p) {
    const Real* c = pass.cosine.data() + 3 * p;
    const Real* s = pass.sine.data() + 3 * p;
    for (int q = 0; q < line; q += lanes) {
      const auto a0 = load(in, q + line * p), a1 = load(in, q + line * (p + m));
      const auto a2 = load(in, q + line * (p + 2 * m)), a3 = load(in, q + line * (p + 3 * m));
      const auto even = add<Real>(a0, a2), odd = add<Real>(a1, a3);
      const auto even_difference = sub<Real>(a0, a2), b = sub<Real>(a1, a3);
      // even_difference -+ i b
      const Complex<Real> t1{hn::Add(even_difference.re, b.im), hn::Sub(even_difference.im, b.re)};
      const Complex<Real> t3{hn::Sub(even_difference.re, b.im), hn::Add(even_difference.im, b.re)};
      store(add<Real>(even, odd), out, q + line * (4 * p));
      store(mul<Real>(t1, c[0], s[0]), out, q + line * (4 * p + 1));
      store(mul<Real>(sub<Real>(even, odd), c[1], s[1]), out, q + line * (4 * p + 2));
      store(mul<Real>(t3, c[2], s[2]), out, q + line * (4 * p + 3));
    }
  }
}

// Any radix by its definition; used for odd primes.
template <class Real>
void pass_any(const Pass<Real>& pass, Block<Real> in, Block<Real> out) {
  const int line = pass.stride * CosineTransform<Real>::kBlock, r = pass.radix;
  const int lanes = static_cast<int>(hn::Lanes(Tag<Real>()));
  for (int p = 0; p < pass.span; ++p) {
    for (int t = 0; t < r; ++t) {
      const auto twiddle = static_cast<std::size_t>(p * (r - 1) + t - 1);
      for (int q = 0; q < line; q += lanes) {
        auto sum = load(in, q + line * p);
        for (int u = 1; u < r; ++u) {
          const auto root = static_cast<std::size_t>(u * t % r);
          sum = add<Real>(sum, mul<Real>(load(in, q + line * (p + u * pass.span)), pass.root_cosine[root],
                                         pass.root_sine[root]));
        }
        if (t > 0) sum = mul<Real>(sum, pass.cosine[twiddle], pass.sine[twiddle]);
        store(sum, out, q + line * (r * p + t));
      }
    }
  }
}

// Leaves the transform of `data` in `data` (swapped with `other` as often as needed).
template <class Real>
void fft(const std::vector<Pass<Real>>& passes, Block<Real>& data, Block<Real>& other) {
  for (const auto& pass : passes) {
    if (pass.radix == 4)
      pass4(pass, data, other);
    else if (pass.radix == 2)
      pass2(pass, data, other);
    else
      pass_any(pass, data, other);
    std::swap(data, other);
  }
}

// For two real columns a, b, Z = FFT(a + i b), and with w = exp(-i pi k/(2n)) = c - i s and
// A_k = (Z_k + conj Z_(n-k))/2, the cosine transform is X_k = Re(w A_k) = c Re A + s Im A and
// X_(n-k) = s Re A - c Im A. That matrix is its own inverse.
template <class Real>
void split_spectrum(const typename CosineTransform<Real>::Plan& plan, Block<Real> z, Block<Real> x) {
  const Tag<Real> d;
  const int block = CosineTransform<Real>::kBlock, lanes = static_cast<int>(hn::Lanes(d));
  const auto half = hn::Set(d, Real(0.5));
  for (int k = 0; k <= plan.n / 2; ++k) {
    const int low = k * block, high = (k == 0 ? 0 : plan.n - k) * block;
    const auto c = hn::Set(d, plan.cosine[static_cast<std::size_t>(k)]);
    const auto s = hn::Set(d, plan.sine[static_cast<std::size_t>(k)]);
    const auto hc = hn::Mul(half, c), hs = hn::Mul(half, s);
    for (int q = 0; q < block; q += lanes) {
      const auto zk = load(z, low + q), zn = load(z, high + q);
      const auto a_re = hn::Add(zk.re, zn.re), a_im = hn::Sub(zk.im, zn.im);
      const auto b_re = hn::Add(zk.im, zn.im), b_im = hn::Sub(zn.re, zk.re);
      if (k > 0)
        store<Real>(
            {hn::Sub(hn::Mul(hs, a_re), hn::Mul(hc, a_im)), hn::Sub(hn::Mul(hs, b_re), hn::Mul(hc, b_im))}, x,
            high + q);
      store<Real>(
          {hn::Add(hn::Mul(hc, a_re), hn::Mul(hs, a_im)), hn::Add(hn::Mul(hc, b_re), hn::Mul(hs, b_im))}, x,
          low + q);
    }
  }
}

// The inverse of split_spectrum, divided by n.
template <class Real>
void join_spectrum(const typename CosineTransform<Real>::Plan& plan, Block<Real> x, Block<Real> z) {
  const Tag<Real> d;
  const int block = CosineTransform<Real>::kBlock, lanes = static_cast<int>(hn::Lanes(d));
  const auto scale = hn::Set(d, Real(1) / static_cast<Real>(plan.n));
  for (int k = 0; k <= plan.n / 2; ++k) {
    const int low = k * block, high = (k == 0 ? 0 : plan.n - k) * block;
    const auto c = hn::Mul(scale, hn::Set(d, plan.cosine[static_cast<std::size_t>(k)]));
    const auto s = hn::Mul(scale, hn::Set(d, plan.sine[static_cast<std::size_t>(k)]));
    for (int q = 0; q < block; q += lanes) {
      const auto xk = load(x, low + q);
      auto xn = load(x, high + q);
      if (k == 0) xn = {hn::Zero(d), hn::Zero(d)};
      const auto a_re = hn::Add(hn::Mul(c, xk.re), hn::Mul(s, xn.re));
      const auto a_im = hn::Sub(hn::Mul(s, xk.re), hn::Mul(c, xn.re));
      const auto b_re = hn::Add(hn::Mul(c, xk.im), hn::Mul(s, xn.im));
      const auto b_im = hn::Sub(hn::Mul(s, xk.im), hn::Mul(c, xn.im));
      if (k > 0) store<Real>({hn::Add(a_re, b_im), hn::Sub(b_re, a_im)}, z, high + q);
      store<Real>({hn::Sub(a_re, b_im), hn::Add(a_im, b_re)}, z, low + q);
    }
  }
}

// A whole block's width is a constant for the compiler, so that the copy is a load and a store.
template <class Real>
HWY_INLINE void copy_line(const Real* from, int width, Real* to) {
  if (width == CosineTransform<Real>::kBlock)
    std::copy_n(from, CosineTransform<Real>::kBlock, to);
  else
    std::copy_n(from, width, to);
}

// Copies the column pairs from, from+1, ... (at most kBlock) between the matrix and a block. Row j of the
// block is row order(j) of the matrix.
template <class Real, class Order>
void gather_rows(const Real* matrix, int columns, int from, int n, Order order, Block<Real> to) {
  const int block = CosineTransform<Real>::kBlock, width = std::min(block, columns / 2 - from);
  for (int j = 0; j < n; ++j) {
    const Real* row = matrix + static_cast<std::ptrdiff_t>(order(j)) * columns + from;
    copy_line(row, width, to.re + j * block);
    copy_line(row + columns / 2, width, to.im + j * block);
  }
}
template <class Real, class Order>
void scatter_rows(Block<Real> from_block, int n, Order order, Real* matrix, int columns, int from) {
  const int block = CosineTransform<Real>::kBlock, width = std::min(block, columns / 2 - from);
  for (int j = 0; j < n; ++j) {
    Real* row = matrix + static_cast<std::ptrdiff_t>(order(j)) * columns + from;
    copy_line<Real>(from_block.re + j * block, width, row);
    copy_line<Real>(from_block.im + j * block, width, row + columns / 2);
  }
}

template <class Real>
void transform(typename CosineTransform<Real>::Plan& plan, Real* matrix, int columns, bool inverse) {
  const int n = plan.n;
  const auto same = [](int j) { return j; };
  // Makhoul's order: the even rows upwards, then the odd ones downwards.
  const auto makhoul = [n](int j) { return j < n / 2 ? 2 * j : 2 * (n - 1 - j) + 1; };
  for (int from = 0; from < columns / 2; from += CosineTransform<Real>::kBlock) {
    Block<Real> data{plan.part(0), plan.part(1)}, other{plan.part(2), plan.part(3)};
    if (!inverse) {
      gather_rows(matrix, columns, from, n, makhoul, data);
      fft<Real>(plan.passes, data, other);
      split_spectrum(plan, data, other);
      scatter_rows(other, n, same, matrix, columns, from);
    } else {
      gather_rows(matrix, columns, from, n, same, data);
      join_spectrum(plan, data, other);
      // Exchanging real and imaginary parts before and after makes a forward FFT the inverse one.
      std::swap(other.re, other.im);
      fft<Real>(plan.passes, other, data);
      std::swap(other.re, other.im);
      scatter_rows(other, n, makhoul, matrix, columns, from);
    }
  }
}

void transform_float(CosineTransform<float>::Plan& plan, float* matrix, int columns, bool inverse) {
  transform(plan, matrix, columns, inverse);
}
void transform_double(CosineTransform<double>::Plan& plan, double* matrix, int columns, bool inverse) {
  transform(plan, matrix, columns, inverse);
}

}  // namespace HWY_NAMESPACE
}  // namespace gcan::sim::smoke
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gcan::sim::smoke {

HWY_EXPORT(transform_float);
HWY_EXPORT(transform_double);

namespace {

int next_radix(int n) {
  if (n % 4 == 0) return 4;
  for (int r = 2; r * r <= n; ++r)
    if (n % r == 0) return r;
  return n;
}

template <class Real>
typename CosineTransform<Real>::Pass make_pass(int radix, int span, int stride) {
  typename CosineTransform<Real>::Pass pass{radix, span, stride, {}, {}, {}, {}};
  for (int p = 0; p < span; ++p)
    for (int t = 1; t < radix; ++t) {
      pass.cosine.push_back(static_cast<Real>(cos_pi(-2 * p * t, radix * span)));
      pass.sine.push_back(static_cast<Real>(sin_pi(-2 * p * t, radix * span)));
    }
  for (int t = 0; t < radix; ++t) {
    pass.root_cosine.push_back(static_cast<Real>(cos_pi(-2 * t, radix)));
    pass.root_sine.push_back(static_cast<Real>(sin_pi(-2 * t, radix)));
  }
  return pass;
}

}  // namespace

template <class Real>
CosineTransform<Real>::CosineTransform(int n) : plan_{n, {}, {}, {}, {}} {
  for (int left = n, stride = 1; left > 1;) {
    const int radix = next_radix(left);
    left /= radix;
    plan_.passes.push_back(make_pass<Real>(radix, left, stride));
    stride *= radix;
  }
  for (int k = 0; k <= n / 2; ++k) {
    plan_.cosine.push_back(static_cast<Real>(cos_pi(k, 2 * n)));
    plan_.sine.push_back(static_cast<Real>(sin_pi(k, 2 * n)));
  }
  plan_.scratch.resize(static_cast<std::size_t>(4 * n * kBlock));
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
