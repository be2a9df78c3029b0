#include "gcan/kernels/gate.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gcan/kernels/gate.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "gcan/kernels/gate-inl.h"

HWY_BEFORE_NAMESPACE();
namespace gcan::kernels {
namespace HWY_NAMESPACE {

template <class T, class G>
void forward(const G& gate, std::size_t begin, std::size_t end, const T* x, T* y) {
  Scratch<T> open(gate.gates);
  for_each_piece(begin, end, gate.space, [&](std::size_t row, std::size_t i, std::size_t count) HWY_ATTR {
    const std::size_t start = row * gate.blades * gate.space + i;
    gate_piece<T>(gate, row % gate.channels, {x + start, gate.space}, count, open.lines(),
                  {y + start, gate.space});
  });
}

template <class T, class G>
void backward(const G& gate, std::size_t begin, std::size_t end, const T* x, const T* dy, T* dx,
              double* sums) {
  const std::size_t width = gate.sums_per_row();
  std::fill(sums + begin * width, sums + end * width, 0.0);
  Scratch<T> open(gate.gates);
  Scratch<T> slope(gate.gates);
  for_each_piece(begin, end, gate.space, [&](std::size_t row, std::size_t i, std::size_t count) HWY_ATTR {
    const std::size_t start = row * gate.blades * gate.space + i;
    const Lines<const T> from{x + start, gate.space};
    gate_backward_piece<T>(gate, row % gate.channels, from, {dy + start, gate.space}, count, open.lines(),
                           slope.lines(), {dx + start, gate.space});
    add_gate_sums<T>(gate, from, count, slope.lines(), sums + row * width);
  });
}

// Calls visit with the gate, of a type that knows its sizes where there is one.
template <class T, class Visit>
void specialized(const Gate<T>& gate, const Visit& visit) {
  if (gate.blades == 3 && gate.gates == 1) return visit(ThreeBladeGate<T>(gate));
  visit(gate);
}

template <class T>
void sigmoids(const T* x, T* y, std::size_t count) {
  each<T>(count,
          [&](auto d, std::size_t i) HWY_ATTR { hn::StoreU(sigmoid_of(d, hn::LoadU(d, x + i)), d, y + i); });
}

// Highway's table of instruction sets holds plain functions only.
void forward_float(const Gate<float>& gate, std::size_t begin, std::size_t end, const float* x, float* y) {
  specialized(gate, [&](const auto& g) { forward<float>(g, begin, end, x, y); });
}
void forward_double(const Gate<double>& gate, std::size_t begin, std::size_t end, const double* x,
                    double* y) {
  specialized(gate, [&](const auto& g) { forward<double>(g, begin, end, x, y); });
}
void backward_float(const Gate<float>& gate, std::size_t begin, std::size_t end, const float* x,
                    const float* dy, float* dx, double* sums) {
  specialized(gate, [&](const auto& g) { backward<float>(g, begin, end, x, dy, dx, sums); });
}
void backward_double(const Gate<double>& gate, std::size_t begin, std::size_t end, const double* x,
                     const double* dy, double* dx, double* sums) {
  specialized(gate, [&](const auto& g) { backward<double>(g, begin, end, x, dy, dx, sums); });
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
