#pragma once

// 3x3 convolutions without stride by Winograd's minimal filtering F(4x4, 3x3): on tiles of 6x6 points that
// overlap by two they become 36 matrix products with a quarter of the multiplications (Lavin and Gray 2016,
// arXiv:1509.09308, interpolation at 0, 1, -1, 2, -2 and infinity):
//   y = A^T ((G k G^T) (B^T d B)) A     for each tile d and kernel k.
// In float it loses about one digit against the sum of products; there is no version for double.
//
// Tensors are contiguous: features (samples, channels, height, width), kernels (out, in, 3, 3).

#include <array>
#include <cstddef>

#include "gcan/kernels/parallel.h"

namespace gcan::kernels {

struct WinogradShape {
  std::size_t samples, in, out;
  std::size_t height, width;           // of the input
  std::array<std::size_t, 2> padding;  // before and after each row and column, at most 2
  std::array<bool, 2> circular = {};   // the grid closes up along a dimension, else zeros are outside
  [[nodiscard]] std::size_t out_height() const { return height + 2 * padding[0] - 2; }
  [[nodiscard]] std::size_t out_width() const { return width + 2 * padding[1] - 2; }
};

// y = convolution of x, plus the bias of each output channel and plus `add`, which has y's shape; both may be
// null.
void winograd_forward(const WinogradShape& shape, const float* x, const float* kernel, const float* bias,
                      const float* add, float* y, const Parallel& parallel);

// The gradient of x for that of y; `circular` dimensions must have a padding of 1.
void winograd_input_gradient(const WinogradShape& shape, const float* dy, const float* kernel, float* dx,
                             const Parallel& parallel);

// The gradient of the kernel and, unless it is null, that of the bias.
void winograd_kernel_gradient(const WinogradShape& shape, const float* x, const float* dy, float* dkernel,
                              float* dbias, const Parallel& parallel);

}  // namespace gcan::kernels
