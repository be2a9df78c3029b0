#pragma once

// Assembles the kernel of a group action layer, scale * M(action) for every pair of channels and every
// position of a convolution's kernel, and its gradient. SIMD runs along the pairs. The sandwiches of most
// layers are unrolled at compile time, from the same table (SandwichPlan) that all others use at run time.

#include <cstdint>

#include "gcan/algebra/sandwich_plan.h"

namespace gcan::kernels {

// The memory layout of the pairs, row-major. A pair is (row, column, position): output channel, input channel
// of the row's group, and position in the kernel; for transposed convolutions, as LibTorch orders their
// weights, input channel, output channel, position.
struct PairLayout {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t positions = 1;
  std::int64_t groups = 1;  // rows / groups consecutive rows share their input channels
  // The kernel is (rows, U, columns, V, positions). Its blocks are M (U outputs, V inputs) or, with
  // transposed blocks, M^T (U inputs, V outputs).
  bool transposed_blocks = false;

  [[nodiscard]] std::int64_t pairs() const { return rows * columns * positions; }
};

// How the action is inverted.
struct ActionInverse {
  Inverse kind = Inverse::reverse;
  double epsilon = 0;
};

template <class T>
struct SandwichInputs {
  const SandwichPlan& plan;
  PairLayout layout;
  ActionInverse inverse;
  const T* action = nullptr;  // (action blades, rows, columns, positions)
  const T* weight = nullptr;  // (rows, columns, positions)
  const T* delta = nullptr;   // (groups * columns, constants): values of the constant blades; null without
};

template <class T>
struct SandwichOutputs {
  T* kernel = nullptr;  // (rows, U, columns, V, positions)
  T* bias = nullptr;    // (rows, outputs): the contribution of the constants; null without
};

template <class T>
struct SandwichGradients {
  const T* kernel = nullptr;  // given, like SandwichOutputs
  const T* bias = nullptr;    // null for zeros
  T* action = nullptr;        // wanted, like SandwichInputs
  T* weight = nullptr;
  T* delta = nullptr;  // added to, because all rows share it; null without bias
};

// Both process the rows first .. last - 1 and may run concurrently on different rows if each call has its own
// `delta`. T is float or double. assemble_sandwich returns whether the rows' actions and weights, and delta,
// are all finite: a separate check would cost more than the assembly.
template <class T>
bool assemble_sandwich(const SandwichInputs<T>& inputs, const SandwichOutputs<T>& outputs, std::int64_t first,
                       std::int64_t last);

template <class T>
void sandwich_gradient(const SandwichInputs<T>& inputs, const SandwichGradients<T>& gradients,
                       std::int64_t first, std::int64_t last);

}  // namespace gcan::kernels
