#pragma once

// Geometric products of G(2,0,0) as products of real 2x2 matrices,
//   s + a e1 + b e2 + p e12  ->  X = (s + a, b + p;  b - p, s - a).
// Row i of a product X W depends on row i of X only. A convolution with multivectors, y = sum x w, is
// therefore an ordinary one of half as many features (the columns) on twice as many samples (the rows), with
// half of the multiplications and a quarter of the kernel.

#include <string>

#include "gcan/algebra/algebra.h"
#include "gcan/torch.h"

namespace gcan::nn::detail {

// Whether multivectors of the algebra are these matrices.
bool has_matrices(const Algebra& algebra);

// All of these are for contiguous tensors of float or double on the CPU, and differentiable.

// x (N, channels, 4, space...) as (N * 2 rows, channels * 2 columns, space...).
torch::Tensor to_matrices(const torch::Tensor& x);

// The transpose of to_matrices(), twice its inverse, plus a bias (channels, 4) and `add` (of the result's
// shape), both of which may be undefined.
torch::Tensor from_matrices(const torch::Tensor& y, const torch::Tensor& bias = {},
                            const torch::Tensor& add = {});

// Converts weights (out, in, 4, space...) to the kernel (out * 2, in * 2, space...) with which
// from_matrices(convolution(to_matrices(x))) is the sum of the products x w; from weights (in, out, 4,
// space...) it makes that of the transposed convolution, (in * 2, out * 2, space...). Error, naming `layer`,
// if the weight is not finite.
torch::Tensor matrix_kernel(const std::string& layer, const torch::Tensor& weight, bool transposed);

// The gradient of the weight from the kernel's.
torch::Tensor matrix_weight_gradient(const torch::Tensor& kernel, bool transposed);

}  // namespace gcan::nn::detail
