#pragma once

// MSiLU on the CPU: every multivector is scaled by sigmoids of linear forms of its own components,
//   y_b = sigmoid(f_k(x)) x_b,   f_k(x) = bias_k + sum_b weight_kb x_b,   k = gate_of[b].
//
// Features are rows of (blades, space) numbers, one per sample and channel, row = sample * channels +
// channel. A function processes the rows [begin, end), so that the caller can divide them among threads.

#include <cstddef>
#include <span>

namespace gcan::kernels {

template <class T>
struct Gate {
  std::size_t channels = 0;
  std::size_t blades = 0;
  std::size_t gates = 0;
  std::size_t space = 0;
  std::span<const std::size_t> gate_of;  // for each blade
  const T* weight = nullptr;             // (channels, gates, blades)
  const T* bias = nullptr;               // (channels, gates)

  // The number of sums per row in the backward pass: for each gate the gradients of its weights, then of its
  // bias.
  [[nodiscard]] std::size_t sums_per_row() const { return gates * (blades + 1); }
};

template <class T>
void gate_forward(const Gate<T>& gate, std::size_t begin, std::size_t end, const T* x, T* y);

// Writes dx and, into sums (row, gates, blades + 1), each row's contribution to the parameters' gradients.
// The caller adds them, so the result does not depend on the number of threads.
template <class T>
void gate_backward(const Gate<T>& gate, std::size_t begin, std::size_t end, const T* x, const T* dy, T* dx,
                   double* sums);

// 1 / (1 + exp(-x)), to 3 units in the last place if the result is a normal number; NaN stays NaN.
template <class T>
void sigmoid(const T* x, T* y, std::size_t count);

}  // namespace gcan::kernels
