#include "gcan/kernels/gate.h"

#include "gcan/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gcan/kernels/gate.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "gcan/kernels/gate-inl.h"
#include "gcan/kernels/three_blades-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gcan::kernels {
namespace HWY_NAMESPACE {

template <class T, class G>
void forward(const G& gate, std::size_t begin, std::size_t end, const T* x, T* y) {
  Scratch<T> gates(gate.gates);
  for_each_piece(begin, end, gate.space, [&](std::size_t row, std::size_t i, std::size_t count) HWY_ATTR {
    const std::size_t start = row * gate.blades * gate.space + i;
    gate_piece<T>(gate, row % gate.channels, {x + start, gate.space}, count, gates.lines(),
                  {y + start, gate.space});
  });
}

template <class T, class G>
void backward(const G& gate, std::size_t begin, std::size_t end, const T* x, const T* dy, T* dx,
              double* sums) {
  const std::size_t width = gate.sums_per_row();
  std::fill(sums + begin * width, sums + end * width, 0.0);
  Scratch<T> gates(gate.gates);
  Scratch<T> grad(gate.gates);
  for_each_piece(begin, end, gate.space, [&](std::size_t row, std::size_t i, std::size_t count) HWY_ATTR {
    const std::size_t start = row * gate.blades * gate.space + i;
    const Lines<const T> from{x + start, gate.space};
    gate_backward_piece<T>(gate, row % gate.channels, from, {dy + start, gate.space}, count, gates.lines(),
                           grad.lines(), {dx + start, gate.space});
    add_gate_sums<T>(gate, from, count, grad.lines(), sums + row * width);
  });
}

template <class T>
void forward_three(const Gate<T>& gate, std::size_t begin, std::size_t end, const T* x, T* y) {
  for (std::size_t row = begin; row < end; ++row) {
    const GateRow<T> gate_row(gate, row % gate.channels);
    const auto from = three_lines(x, row, gate.space);
    const auto to = three_lines(y, row, gate.space);
    each<T>(gate.space, [&](auto d, std::size_t i) HWY_ATTR {
      const auto v = load_three(d, from, i);
      const auto s = gate_row.sigmoid(d, v);
      for (std::size_t b = 0; b < 3; ++b) store_result(hn::Mul(s, v.at[b]), d, to, b, i);
    });
  }
  hwy::FlushStream();
}

template <class T>
void backward_three(const Gate<T>& gate, std::size_t begin, std::size_t end, const T* x, const T* dy, T* dx,
                    double* sums) {
  for (std::size_t row = begin; row < end; ++row) {
    const GateRow<T> gate_row(gate, row % gate.channels);
    const auto from = three_lines(x, row, gate.space), grads = three_lines(dy, row, gate.space);
    const auto to = three_lines(dx, row, gate.space);
    std::fill_n(sums + row * 4, 4, 0.0);
    add_totals<T, 4>(gate.space, sums + row * 4, [&](auto d, std::size_t i, auto& totals) HWY_ATTR {
      const auto v = load_three(d, from, i);
      const auto behind = through_gate(gate_row, d, v, load_three(d, grads, i));
      for (std::size_t b = 0; b < 3; ++b) {
        totals[b] = hn::MulAdd(behind.grad, v.at[b], totals[b]);
        store_result(behind.g.at[b], d, to, b, i);
      }
      totals[3] = hn::Add(totals[3], behind.grad);
    });
  }
  hwy::FlushStream();
}

// Points with velocities. As for ThreeBladeGate, the compiler unrolls loops over blades of a known number.
template <class T>
struct SixBladeGate : Gate<T> {
  explicit SixBladeGate(const Gate<T>& gate) : Gate<T>(gate) {}
  static constexpr std::size_t blades = 6;
  static constexpr std::size_t gates = 1;
};

// The loops for this number of blades.
template <class T>
void any_forward(const Gate<T>& gate, std::size_t begin, std::size_t end, const T* x, T* y) {
  if (gate.gates == 1 && gate.blades == 3) return forward_three(gate, begin, end, x, y);
  if (gate.gates == 1 && gate.blades == 6) return forward<T>(SixBladeGate<T>(gate), begin, end, x, y);
  forward<T>(gate, begin, end, x, y);
}
template <class T>
void any_backward(const Gate<T>& gate, std::size_t begin, std::size_t end, const T* x, const T* dy, T* dx,
                  double* sums) {
  if (gate.gates == 1 && gate.blades == 3) return backward_three(gate, begin, end, x, dy, dx, sums);
  if (gate.gates == 1 && gate.blades == 6) {
    return backward<T>(SixBladeGate<T>(gate), begin, end, x, dy, dx, sums);
  }
  backward<T>(gate, begin, end, x, dy, dx, sums);
}

template <class T>
void sigmoids(const T* x, T* y, std::size_t count) {
  each<T>(count,
          [&](auto d, std::size_t i) HWY_ATTR { hn::StoreU(sigmoid_of(d, hn::LoadU(d, x + i)), d, y + i); });
}

// Highway's table of instruction sets holds plain functions only.
void forward_float(const Gate<float>& gate, std::size_t begin, std::size_t end, const float* x, float* y) {
  any_forward(gate, begin, end, x, y);
}
void forward_double(const Gate<double>& gate, std::size_t begin, std::size_t end, const double* x,
                    double* y) {
  any_forward(gate, begin, end, x, y);
}
void backward_float(const Gate<float>& gate, std::size_t begin, std::size_t end, const float* x,
                    const float* dy, float* dx, double* sums) {
  any_backward(gate, begin, end, x, dy, dx, sums);
}
void backward_double(const Gate<double>& gate, std::size_t begin, std::size_t end, const double* x,
                     const double* dy, double* dx, double* sums) {
  any_backward(gate, begin, end, x, dy, dx, sums);
}
void sigmoid_float(const float* x, float* y, std::size_t count) { sigmoids(x, y, count); }
void sigmoid_double(const double* x, double* y, std::size_t count) { sigmoids(x, y, count); }

}  // namespace HWY_NAMESPACE
}  // namespace gcan::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gcan::kernels {

HWY_EXPORT(forward_float);
HWY_EXPORT(forward_double);
HWY_EXPORT(backward_float);
HWY_EXPORT(backward_double);
HWY_EXPORT(sigmoid_float);
HWY_EXPORT(sigmoid_double);

template <>
void gate_forward(const Gate<float>& gate, std::size_t begin, std::size_t end, const float* x, float* y) {
  HWY_DYNAMIC_DISPATCH(forward_float)(gate, begin, end, x, y);
}
template <>
void gate_forward(const Gate<double>& gate, std::size_t begin, std::size_t end, const double* x, double* y) {
  HWY_DYNAMIC_DISPATCH(forward_double)(gate, begin, end, x, y);
}
template <>
void gate_backward(const Gate<float>& gate, std::size_t begin, std::size_t end, const float* x,
                   const float* dy, float* dx, double* sums) {
  HWY_DYNAMIC_DISPATCH(backward_float)(gate, begin, end, x, dy, dx, sums);
}
template <>
void gate_backward(const Gate<double>& gate, std::size_t begin, std::size_t end, const double* x,
                   const double* dy, double* dx, double* sums) {
  HWY_DYNAMIC_DISPATCH(backward_double)(gate, begin, end, x, dy, dx, sums);
}
template <>
void sigmoid(const float* x, float* y, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(sigmoid_float)(x, y, count);
}
template <>
void sigmoid(const double* x, double* y, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(sigmoid_double)(x, y, count);
}

}  // namespace gcan::kernels
#endif
