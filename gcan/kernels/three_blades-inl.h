// The gate on three blades of one grade, such as vectors and points in space, with all work on a position in
// registers. Included once per instruction set, hence Highway's form of include guard.
#if defined(GCAN_KERNELS_THREE_BLADES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GCAN_KERNELS_THREE_BLADES_INL_H_
#undef GCAN_KERNELS_THREE_BLADES_INL_H_
#else
#define GCAN_KERNELS_THREE_BLADES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "gcan/kernels/gate-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gcan::kernels {
namespace HWY_NAMESPACE {

// Numbers of three blades.
template <class D>
struct Three {
  hn::Vec<D> at[3];
};

template <class D, class T = hn::TFromD<D>>
HWY_INLINE Three<D> load_three(D d, Lines<const T> from, std::size_t i) {
  return {{hn::LoadU(d, from[0] + i), hn::LoadU(d, from[1] + i), hn::LoadU(d, from[2] + i)}};
}

template <class D>
HWY_INLINE hn::Vec<D> dot(const Three<D>& a, const Three<D>& b) {
  return hn::MulAdd(a.at[2], b.at[2], hn::MulAdd(a.at[1], b.at[1], hn::Mul(a.at[0], b.at[0])));
}

// Weights and constant of the gate of one channel.
template <class T>
struct GateRow {
  GateRow(const Gate<T>& gate, std::size_t channel)
      : weight{gate.weight[channel * 3], gate.weight[channel * 3 + 1], gate.weight[channel * 3 + 2]},
        bias(gate.bias[channel]) {}

  template <class D>
  HWY_INLINE Three<D> weights(D d) const {
    return {{hn::Set(d, weight[0]), hn::Set(d, weight[1]), hn::Set(d, weight[2])}};
  }
  template <class D>
  HWY_INLINE hn::Vec<D> sigmoid(D d, const Three<D>& x) const {
    return sigmoid_of(d, hn::Add(dot(weights(d), x), hn::Set(d, bias)));
  }

  T weight[3], bias;
};

// The gradient of the gate's input, given its input x and the gradient dy of its output, and the gradient of
// its linear form.
template <class D>
struct GateGradients {
  Three<D> g;
  hn::Vec<D> grad;
};
template <class T, class D>
HWY_INLINE GateGradients<D> through_gate(const GateRow<T>& gate, D d, const Three<D>& x, const Three<D>& dy) {
  const auto s = gate.sigmoid(d, x);
  const auto grad = hn::Mul(hn::NegMulAdd(s, s, s), dot(dy, x));
  const auto w = gate.weights(d);
  return {{{hn::MulAdd(w.at[0], grad, hn::Mul(s, dy.at[0])), hn::MulAdd(w.at[1], grad, hn::Mul(s, dy.at[1])),
            hn::MulAdd(w.at[2], grad, hn::Mul(s, dy.at[2]))}},
          grad};
}

// Adds to sums[k] the sums over [0, count) of what body(d, i, totals) adds to totals[k]. Sums are in T over
// short stretches, then in double.
template <class T, std::size_t K, class Body>
HWY_INLINE void add_totals(std::size_t count, double* sums, const Body& body) {
  constexpr std::size_t kStretch = 1024;
  const auto run = [&](auto d, std::size_t begin, std::size_t end) HWY_ATTR {
    hn::Vec<decltype(d)> totals[K];
    for (auto& total : totals) total = hn::Zero(d);
    for (std::size_t i = begin; i < end; i += hn::Lanes(d)) body(d, i, totals);
    for (std::size_t k = 0; k < K; ++k) {
      sums[k] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, totals[k])));
    }
  };
  const hn::ScalableTag<T> d;
  const std::size_t whole = count / hn::Lanes(d) * hn::Lanes(d);
  for (std::size_t i = 0; i < whole; i += kStretch) run(d, i, std::min(whole, i + kStretch));
  if (whole < count) run(hn::CappedTag<T, 1>(), whole, count);
}

template <class T>
HWY_INLINE Lines<T> three_lines(T* data, std::size_t row, std::size_t space) {
  return {data + row * 3 * space, space};
}

}  // namespace HWY_NAMESPACE
}  // namespace gcan::kernels
HWY_AFTER_NAMESPACE();

#endif
