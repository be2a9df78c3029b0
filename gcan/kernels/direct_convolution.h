#pragma once

// Convolutions as plain sums of products, on blocks of channels that stay in cache: for 1x1 kernels and for
// strides, which Winograd's algorithm does not cover.
//
// Tensors are contiguous: features (samples, channels, height, width), kernels (out, in, height, width).

#include <array>
#include <cstddef>

#include "gcan/kernels/parallel.h"

namespace gcan::kernels {

struct DirectShape {
  std::size_t samples, in, out;
  std::array<std::size_t, 2> size, out_size;  // of the grids of input and output
  std::array<std::size_t, 2> kernel, stride, padding;
  // Whether the grid is periodic along a dimension; otherwise it is padded with zeros. If periodic, the
  // input's size must be the output's times the stride.
  std::array<bool, 2> circular = {};
};

// y = convolution of x, plus the bias of each output channel and plus `add`, which has y's shape; both may be
// null.
void direct_forward(const DirectShape& shape, const float* x, const float* kernel, const float* bias,
                    const float* add, float* y, const Parallel& parallel);

// The gradient of x from that of y, plus a bias for each input channel if not null: the transposed
// convolution.
void direct_input_gradient(const DirectShape& shape, const float* dy, const float* kernel, const float* bias,
                           float* dx, const Parallel& parallel);

// The gradient of the kernel.
void direct_kernel_gradient(const DirectShape& shape, const float* x, const float* dy, float* dkernel,
                            const Parallel& parallel);

}  // namespace gcan::kernels
