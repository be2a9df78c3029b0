#include "gcan/kernels/adam.h"

#include <algorithm>
#include <cmath>

#include "gcan/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gcan/kernels/adam.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "gcan/kernels/gate-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gcan::kernels {
namespace HWY_NAMESPACE {

// The constants of a rule for the loop, computed in double.
template <class T>
struct Factors {
  explicit Factors(const AdamRule& rule)
      : scale(static_cast<T>(rule.scale)),
        decay(static_cast<T>(rule.decoupled ? 0 : rule.weight_decay)),
        shrink(static_cast<T>(rule.decoupled ? 1 - rule.learning_rate * rule.weight_decay : 1)),
        beta1(static_cast<T>(rule.beta1)),
        one_minus_beta1(static_cast<T>(1 - rule.beta1)),
        beta2(static_cast<T>(rule.beta2)),
        one_minus_beta2(static_cast<T>(1 - rule.beta2)),
        root(static_cast<T>(1 / std::sqrt(1 - std::pow(rule.beta2, static_cast<double>(rule.step))))),
        epsilon(static_cast<T>(rule.epsilon)),
        rate(static_cast<T>(rule.learning_rate / (1 - std::pow(rule.beta1, static_cast<double>(rule.step))))),
        keep(static_cast<T>(rule.average_decay)),
        take(static_cast<T>(1 - rule.average_decay)) {}

  T scale, decay, shrink, beta1, one_minus_beta1, beta2, one_minus_beta2, root, epsilon, rate, keep, take;
};

// The hardware prefetcher does not keep up with four streams and restarts at every page: prefetching this
// many numbers ahead saves about a fifteenth of the time.
inline constexpr std::size_t kAhead = 512;

// Updates a vector of numbers at position i; returns the squares of the original gradients.
template <bool kAverage, class D, class T = hn::TFromD<D>>
HWY_INLINE auto update(D d, const Factors<T>& f, const AdamTensor<T>& t, std::size_t i) {
  const auto set = [d](T number) HWY_ATTR { return hn::Set(d, number); };
  for (const T* line : {t.gradient, static_cast<const T*>(t.parameter), static_cast<const T*>(t.mean),
                        static_cast<const T*>(t.square)}) {
    hwy::Prefetch(line + i + kAhead);
  }
  const auto raw = hn::LoadU(d, t.gradient + i);
  auto p = hn::LoadU(d, t.parameter + i);
  const auto g = hn::MulAdd(set(f.decay), p, hn::Mul(set(f.scale), raw));
  const auto m = hn::MulAdd(set(f.beta1), hn::LoadU(d, t.mean + i), hn::Mul(set(f.one_minus_beta1), g));
  const auto v =
      hn::MulAdd(set(f.beta2), hn::LoadU(d, t.square + i), hn::Mul(hn::Mul(set(f.one_minus_beta2), g), g));
  const auto size = hn::MulAdd(hn::Sqrt(v), set(f.root), set(f.epsilon));
  p = hn::NegMulAdd(set(f.rate), hn::Div(m, size), hn::Mul(set(f.shrink), p));
  hn::StoreU(m, d, t.mean + i);
  hn::StoreU(v, d, t.square + i);
  hn::StoreU(p, d, t.parameter + i);
  if constexpr (kAverage) {
    const auto a = hn::LoadU(d, t.average + i);
    hn::StoreU(hn::MulAdd(set(f.keep), a, hn::Mul(set(f.take), p)), d, t.average + i);
  }
  return hn::Mul(raw, raw);
}

template <class T>
bool all_zero(const T* elements, std::size_t count) {
  const hn::ScalableTag<T> d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    if (!hn::AllTrue(d, hn::Eq(hn::LoadU(d, elements + i), hn::Zero(d)))) return false;
  }
  return std::all_of(elements + i, elements + count, [](T x) { return x == T{0}; });
}

// Local copies, because the compiler would otherwise reload them after each store.
template <bool kAverage, class T>
double pieces(const AdamRule& rule, AdamTensor<T> t, std::size_t begin, std::size_t end) {
  const Factors<T> f(rule);
  double sum = 0;
  for (std::size_t start = begin; start < end; start += kAdamPiece) {
    const std::size_t count = std::min(kAdamPiece, end - start);
    if (t.resting && t.resting[start / kAdamPiece]) {
      if (all_zero(t.gradient + start, count)) continue;
      t.resting[start / kAdamPiece] = false;
    }
    sum +=
        total<T>(count, [&](auto d, std::size_t i) HWY_ATTR { return update<kAverage>(d, f, t, start + i); });
  }
  return sum;
}

template <class T>
double updated(const AdamRule& rule, const AdamTensor<T>& t, std::size_t begin, std::size_t end) {
  return t.average == nullptr ? pieces<false>(rule, t, begin, end) : pieces<true>(rule, t, begin, end);
}

template <class T>
double squares(const T* elements, std::size_t count) {
  double sum = 0;
  for (std::size_t start = 0; start < count; start += kAdamPiece) {
    sum += total<T>(std::min(kAdamPiece, count - start), [&](auto d, std::size_t i) HWY_ATTR {
      const auto x = hn::LoadU(d, elements + start + i);
      return hn::Mul(x, x);
    });
  }
  return sum;
}

// Highway's table of instruction sets holds plain functions only.
double updated_float(const AdamRule& rule, const AdamTensor<float>& t, std::size_t begin, std::size_t end) {
  return updated(rule, t, begin, end);
}
double updated_double(const AdamRule& rule, const AdamTensor<double>& t, std::size_t begin, std::size_t end) {
  return updated(rule, t, begin, end);
}
double squares_float(const float* elements, std::size_t count) { return squares(elements, count); }
double squares_double(const double* elements, std::size_t count) { return squares(elements, count); }

}  // namespace HWY_NAMESPACE
}  // namespace gcan::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gcan::kernels {

HWY_EXPORT(updated_float);
HWY_EXPORT(updated_double);
HWY_EXPORT(squares_float);
HWY_EXPORT(squares_double);

template <>
double adam_update(const AdamRule& rule, const AdamTensor<float>& t, std::size_t begin, std::size_t end) {
  return HWY_DYNAMIC_DISPATCH(updated_float)(rule, t, begin, end);
}
template <>
double adam_update(const AdamRule& rule, const AdamTensor<double>& t, std::size_t begin, std::size_t end) {
  return HWY_DYNAMIC_DISPATCH(updated_double)(rule, t, begin, end);
}
template <>
double sum_of_squares(const float* elements, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(squares_float)(elements, count);
}
template <>
double sum_of_squares(const double* elements, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(squares_double)(elements, count);
}

}  // namespace gcan::kernels
#endif
