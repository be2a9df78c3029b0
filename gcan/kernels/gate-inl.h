// The gate on one piece of a row, for the kernels that contain it. Included once per instruction set, hence
// Highway's form of include guard.
#if defined(GCAN_KERNELS_GATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef GCAN_KERNELS_GATE_INL_H_
#undef GCAN_KERNELS_GATE_INL_H_
#else
#define GCAN_KERNELS_GATE_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gcan/kernels/gate.h"

HWY_BEFORE_NAMESPACE();
namespace gcan::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows are processed in pieces of this many positions: all blades of a piece and the intermediate results
// stay in the L1 cache, so each number is read from main memory once, however many loops use it.
inline constexpr std::size_t kPiece = 256;

// One line of numbers per blade (or per grade).
template <class T>
struct Lines {
  T* data;
  std::size_t stride;
  HWY_INLINE T* operator[](std::size_t i) const { return data + i * stride; }
  [[nodiscard]] HWY_INLINE Lines at(std::size_t position) const { return {data + position, stride}; }
  // NOLINTNEXTLINE(google-explicit-constructor): as a pointer becomes one to const
  HWY_INLINE operator Lines<const T>() const { return {data, stride}; }
};

// Lines of one piece that hold an intermediate result.
template <class T>
class Scratch {
 public:
  explicit Scratch(std::size_t lines) : numbers_(lines * kPiece) {}
  [[nodiscard]] Lines<T> lines() { return {numbers_.data(), kPiece}; }

 private:
  std::vector<T> numbers_;
};

// Calls body(tag, i) for vectors, then for the single numbers that are left.
template <class T, class Body>
HWY_INLINE void each(std::size_t count, const Body& body) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) body(d, i);
  for (; i < count; ++i) body(one, i);
}

// Stores a result at line[i]. A line this long belongs to a tensor larger than the caches: whole vectors then
// bypass them, which saves reading the memory that is overwritten. for_each_piece() waits for these stores.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store_result(hn::Vec<D> v, D d, Lines<T> lines, std::size_t line, std::size_t i) {
  constexpr std::size_t kLong = 1 << 13;
  T* const to = lines[line] + i;
  const bool whole = hn::Lanes(d) == hn::Lanes(hn::ScalableTag<T>());
  if (whole && lines.stride >= kLong &&
      reinterpret_cast<std::uintptr_t>(to) % (hn::Lanes(d) * sizeof(T)) == 0) {
    hn::Stream(v, d, to);
  } else {
    hn::StoreU(v, d, to);
  }
}

// The sum of term(tag, i). A piece is short enough to be summed in T; the sums of pieces are added in double.
template <class T, class Term>
HWY_INLINE double total(std::size_t count, const Term& term) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  const std::size_t lanes = hn::Lanes(d);
  auto sum = hn::Zero(d);
  auto rest = hn::Zero(one);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) sum = hn::Add(sum, term(d, i));
  for (; i < count; ++i) rest = hn::Add(rest, term(one, i));
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum)) + hn::GetLane(rest));
}

// With e = exp(-|x|) <= 1 nothing overflows: the result is 1 / (1 + e), or e / (1 + e) for negative x.
template <class D, class V>
HWY_INLINE V sigmoid_of(D d, V x) {
  const auto one = hn::Set(d, hn::TFromD<D>(1));
  const auto e = hn::Exp(d, hn::Neg(hn::Abs(x)));
  const auto y = hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

// Points and vectors in space have three blades of one grade. With known sizes the compiler unrolls the loops
// over blades, and the norm's sums take a quarter less time.
template <class T>
struct ThreeBladeGate : Gate<T> {
  explicit ThreeBladeGate(const Gate<T>& gate) : Gate<T>(gate) {}
  static constexpr std::size_t blades = 3;
  static constexpr std::size_t gates = 1;
};

template <class G>
HWY_INLINE std::size_t part_of(const G& gate, std::size_t blade) {
  return gate.gates == 1 ? 0 : gate.gate_of[blade];
}

// The gates of one channel.
template <class T, class G>
HWY_INLINE void gate_values(const G& gate, std::size_t channel, Lines<const T> x, std::size_t count,
                            Lines<T> gates) {
  for (std::size_t k = 0; k < gate.gates; ++k) {
    const T* weight = gate.weight + (channel * gate.gates + k) * gate.blades;
    const T bias = gate.bias[channel * gate.gates + k];
    each<T>(count, [&](auto d, std::size_t i) HWY_ATTR {
      auto f = hn::Set(d, bias);
      for (std::size_t b = 0; b < gate.blades; ++b) {
        f = hn::MulAdd(hn::Set(d, weight[b]), hn::LoadU(d, x[b] + i), f);
      }
      hn::StoreU(sigmoid_of(d, f), d, gates[k] + i);
    });
  }
}

template <class T, class G>
HWY_INLINE void gate_piece(const G& gate, std::size_t channel, Lines<const T> x, std::size_t count,
                           Lines<T> gates, Lines<T> y) {
  gate_values<T>(gate, channel, x, count, gates);
  for (std::size_t b = 0; b < gate.blades; ++b) {
    const T* s = gates[part_of(gate, b)];
    each<T>(count, [&](auto d, std::size_t i) HWY_ATTR {
      store_result(hn::Mul(hn::LoadU(d, s + i), hn::LoadU(d, x[b] + i)), d, y, b, i);
    });
  }
}

// grad_k = dL/df_k = s_k (1 - s_k) sum_(b of k) dy_b x_b
template <class T, class G>
HWY_INLINE void gate_grads(const G& gate, Lines<const T> x, Lines<const T> dy, std::size_t count,
                           Lines<const T> gates, Lines<T> grad) {
  for (std::size_t k = 0; k < gate.gates; ++k) {
    each<T>(count, [&](auto d, std::size_t i) HWY_ATTR {
      auto dot = hn::Zero(d);
      for (std::size_t b = 0; b < gate.blades; ++b) {
        if (part_of(gate, b) != k) continue;
        dot = hn::MulAdd(hn::LoadU(d, dy[b] + i), hn::LoadU(d, x[b] + i), dot);
      }
      const auto s = hn::LoadU(d, gates[k] + i);
      hn::StoreU(hn::Mul(hn::Mul(s, hn::Sub(hn::Set(d, T(1)), s)), dot), d, grad[k] + i);
    });
  }
}

template <class T, class G>
HWY_INLINE void add_gate_sums(const G& gate, Lines<const T> x, std::size_t count, Lines<const T> grad,
                              double* sums) {
  for (std::size_t k = 0; k < gate.gates; ++k, sums += gate.blades + 1) {
    for (std::size_t b = 0; b < gate.blades; ++b) {
      sums[b] += total<T>(count, [&](auto d, std::size_t i) HWY_ATTR {
        return hn::Mul(hn::LoadU(d, grad[k] + i), hn::LoadU(d, x[b] + i));
      });
    }
    sums[gate.blades] +=
        total<T>(count, [&](auto d, std::size_t i) HWY_ATTR { return hn::LoadU(d, grad[k] + i); });
  }
}

// dx_b = s_k dy_b + sum_k weight_kb grad_k; leaves the grads. `gates` and `grad` are scratch.
template <class T, class G>
HWY_INLINE void gate_backward_piece(const G& gate, std::size_t channel, Lines<const T> x, Lines<const T> dy,
                                    std::size_t count, Lines<T> gates, Lines<T> grad, Lines<T> dx) {
  gate_values<T>(gate, channel, x, count, gates);
  gate_grads<T>(gate, x, dy, count, gates, grad);
  for (std::size_t b = 0; b < gate.blades; ++b) {
    const T* s = gates[part_of(gate, b)];
    const T* weight = gate.weight + channel * gate.gates * gate.blades + b;
    each<T>(count, [&](auto d, std::size_t i) HWY_ATTR {
      auto sum = hn::Mul(hn::LoadU(d, s + i), hn::LoadU(d, dy[b] + i));
      for (std::size_t k = 0; k < gate.gates; ++k) {
        sum = hn::MulAdd(hn::Set(d, weight[k * gate.blades]), hn::LoadU(d, grad[k] + i), sum);
      }
      store_result(sum, d, dx, b, i);
    });
  }
}

// Calls visit(row, position, count) for each piece of the rows.
template <class Visit>
HWY_INLINE void for_each_piece(std::size_t begin, std::size_t end, std::size_t space, const Visit& visit) {
  for (std::size_t row = begin; row < end; ++row) {
    for (std::size_t i = 0; i < space; i += kPiece) visit(row, i, std::min(kPiece, space - i));
  }
  hwy::FlushStream();
}

}  // namespace HWY_NAMESPACE
}  // namespace gcan::kernels
HWY_AFTER_NAMESPACE();

#endif
