// Norm and gate of three blades of one grade, such as vectors and points in space: one loop does all the work
// on a position in registers. Included once per instruction set, hence Highway's form of include guard.
#if defined(GCAN_KERNELS_NORM_THREE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GCAN_KERNELS_NORM_THREE_INL_H_
#undef GCAN_KERNELS_NORM_THREE_INL_H_
#else
#define GCAN_KERNELS_NORM_THREE_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <limits>
#include <type_traits>

#include "gcan/kernels/norm.h"
#include "gcan/kernels/three_blades-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gcan::kernels {
namespace HWY_NAMESPACE {

// 1 / sqrt(square), and 0 if the square is 0 (in float: below the smallest normal number). One Newton step
// makes the hardware's approximation accurate to two units in the last place; square root and division would
// take several times as long.
template <class D>
HWY_INLINE hn::Vec<D> inverse_root(D d, hn::Vec<D> square) {
  using T = hn::TFromD<D>;
  if constexpr (std::is_same_v<T, float>) {
    const auto rough = hn::ApproximateReciprocalSqrt(square);
    const auto half = hn::Mul(hn::Set(d, 0.5F), square);
    const auto root = hn::Mul(rough, hn::NegMulAdd(hn::Mul(half, rough), rough, hn::Set(d, 1.5F)));
    const auto is_normal = hn::Ge(square, hn::Set(d, std::numeric_limits<T>::min()));
    return hn::IfThenElseZero(is_normal, root);
  } else {
    const auto is_zero = hn::Eq(square, hn::Zero(d));
    return hn::IfThenZeroElse(is_zero, hn::Div(hn::Set(d, T(1)), hn::Sqrt(square)));
  }
}

// Factors and constants of the norm of one row.
template <class T>
struct ThreeRow {
  template <class N>
  ThreeRow(const N& norm, std::size_t row) {
    const std::size_t channel = row % norm.channels, group = row / norm.channels_per_group;
    scale = norm.weight[channel] * norm.inverse[group];
    for (std::size_t b = 0; b < 3; ++b) {
      mean[b] = norm.mean[group * 3 + b];
      bias[b] = norm.bias == nullptr ? T(0) : norm.bias[channel * 3 + b];
    }
  }

  template <class D>
  HWY_INLINE Three<D> centred(D d, const Three<D>& x) const {
    return {{hn::Sub(x.at[0], hn::Set(d, mean[0])), hn::Sub(x.at[1], hn::Set(d, mean[1])),
             hn::Sub(x.at[2], hn::Set(d, mean[2]))}};
  }
  template <class D>
  HWY_INLINE Three<D> normalized(D d, const Three<D>& c) const {
    const auto s = hn::Set(d, scale);
    return {{hn::MulAdd(s, c.at[0], hn::Set(d, bias[0])), hn::MulAdd(s, c.at[1], hn::Set(d, bias[1])),
             hn::MulAdd(s, c.at[2], hn::Set(d, bias[2]))}};
  }

  T mean[3], scale, bias[3];
};

// The gate of a row, or an unused one.
template <class T, class N, class G>
HWY_INLINE GateRow<T> gate_row(const N& norm, const G* gate, std::size_t row) {
  static constexpr T kNone[3] = {};
  Gate<T> none;
  none.weight = none.bias = kNone;
  return gate == nullptr ? GateRow<T>(none, 0) : GateRow<T>(*gate, row % norm.channels);
}

// sums (row, 4): of x_b, and of |x| if the norm divides by its mean.
template <class T, class N>
void sums_of_three(const N& norm, std::size_t begin, std::size_t end, const T* x, double* sums) {
  const bool lengths = norm.divisor == Divisor::mean_norm;
  for (std::size_t row = begin; row < end; ++row) {
    const auto from = three_lines(x, row, norm.space);
    std::fill_n(sums + row * 4, 4, 0.0);
    add_totals<T, 4>(norm.space, sums + row * 4, [&](auto d, std::size_t i, auto& totals) HWY_ATTR {
      const auto v = load_three(d, from, i);
      for (std::size_t b = 0; b < 3; ++b) totals[b] = hn::Add(totals[b], v.at[b]);
      if (!lengths) return;
      const auto square = dot(v, v);
      totals[3] = hn::MulAdd(square, inverse_root(d, square), totals[3]);
    });
  }
}

template <class T, class N, class G>
void forward_three(const N& norm, const G* gate, std::size_t begin, std::size_t end, const T* x, T* y) {
  for (std::size_t index = begin; index < end; ++index) {
    const ThreeRow<T> row(norm, index);
    const auto of_row = gate_row<T>(norm, gate, index);
    const auto from = three_lines(x, index, norm.space);
    const auto to = three_lines(y, index, norm.space);
    each<T>(norm.space, [&](auto d, std::size_t i) HWY_ATTR {
      auto v = row.normalized(d, row.centred(d, load_three(d, from, i)));
      if (gate != nullptr) {
        const auto s = of_row.sigmoid(d, v);
        for (auto& number : v.at) number = hn::Mul(s, number);
      }
      for (std::size_t b = 0; b < 3; ++b) store_result(v.at[b], d, to, b, i);
    });
  }
  hwy::FlushStream();
}

// The sums of norm_backward_sums(): g_b, directions, g . (x - mean); grad y_b, grad.
template <class T, class N, class G>
void backward_sums_three(const N& norm, const G* gate, std::size_t begin, std::size_t end, const T* x,
                         const T* dy, double* sums, double* gate_sums) {
  const bool directions = norm.divisor == Divisor::mean_centred_norm;
  for (std::size_t index = begin; index < end; ++index) {
    const ThreeRow<T> row(norm, index);
    const auto of_row = gate_row<T>(norm, gate, index);
    const auto from = three_lines(x, index, norm.space), grads = three_lines(dy, index, norm.space);
    double found[11] = {};
    add_totals<T, 11>(norm.space, found, [&](auto d, std::size_t i, auto& totals) HWY_ATTR {
      const auto c = row.centred(d, load_three(d, from, i));
      auto g = load_three(d, grads, i);
      if (gate != nullptr) {
        const auto y = row.normalized(d, c);
        const auto behind = through_gate(of_row, d, y, g);
        g = behind.g;
        for (std::size_t b = 0; b < 3; ++b) totals[7 + b] = hn::MulAdd(behind.grad, y.at[b], totals[7 + b]);
        totals[10] = hn::Add(totals[10], behind.grad);
      }
      for (std::size_t b = 0; b < 3; ++b) totals[b] = hn::Add(totals[b], g.at[b]);
      totals[6] = hn::Add(totals[6], dot(g, c));
      if (!directions) return;
      const auto inverse = inverse_root(d, dot(c, c));
      for (std::size_t b = 0; b < 3; ++b) totals[3 + b] = hn::MulAdd(c.at[b], inverse, totals[3 + b]);
    });
    std::copy_n(found, 7, sums + index * 7);
    if (gate != nullptr) std::copy_n(found + 7, 4, gate_sums + index * 4);
  }
}

template <class T, class N, class G>
void backward_three(const N& norm, const G* gate, std::size_t begin, std::size_t end, const T* x, const T* dy,
                    const T* shift, const T* pull, T* dx) {
  const bool divides = norm.divisor != Divisor::one, centred = norm.divisor == Divisor::mean_centred_norm;
  for (std::size_t index = begin; index < end; ++index) {
    const ThreeRow<T> row(norm, index);
    const auto of_row = gate_row<T>(norm, gate, index);
    const std::size_t group = index / norm.channels_per_group;
    const auto from = three_lines(x, index, norm.space), grads = three_lines(dy, index, norm.space);
    const auto to = three_lines(dx, index, norm.space);
    each<T>(norm.space, [&](auto d, std::size_t i) HWY_ATTR {
      const auto v = load_three(d, from, i);
      const auto c = row.centred(d, v);
      auto g = load_three(d, grads, i);
      if (gate != nullptr) g = through_gate(of_row, d, row.normalized(d, c), g).g;
      for (std::size_t b = 0; b < 3; ++b) {
        g.at[b] = hn::MulAdd(hn::Set(d, row.scale), g.at[b], hn::Set(d, shift[group * 3 + b]));
      }
      if (divides) {
        const auto& u = centred ? c : v;
        const auto along = hn::Mul(hn::Set(d, pull[group]), inverse_root(d, dot(u, u)));
        for (std::size_t b = 0; b < 3; ++b) g.at[b] = hn::MulAdd(along, u.at[b], g.at[b]);
      }
      for (std::size_t b = 0; b < 3; ++b) store_result(g.at[b], d, to, b, i);
    });
  }
  hwy::FlushStream();
}

}  // namespace HWY_NAMESPACE
}  // namespace gcan::kernels
HWY_AFTER_NAMESPACE();

#endif
