#pragma once

// A group action or Clifford layer is an ordinary linear layer or convolution with a kernel assembled from
// its parameters. These types describe the kernel and its use.

#include <functional>
#include <limits>
#include <vector>

#include "gcan/nn/padding.h"
#include "gcan/torch.h"

namespace gcan::nn {

// The weight and bias of the ordinary layer on (N, channels * blades, space...).
struct AssembledKernel {
  torch::Tensor kernel;
  torch::Tensor bias;  // undefined without
};

// A function that assembles a kernel, and the parameters (leaves) that it reads.
struct Recipe {
  std::vector<torch::Tensor> parameters;
  std::function<AssembledKernel()> make;
  // The gradients of the parameters, in order, from those of the kernel and the bias; the latter may be
  // undefined. Without this function they come from differentiating make(), which is slow for small kernels.
  std::function<std::vector<torch::Tensor>(const torch::Tensor& kernel, const torch::Tensor& bias)>
      gradients = {};
};

// An optional function applied to the input before the convolution, such as norm and activation. The backward
// pass recomputes its result.
struct Preparation {
  std::vector<torch::Tensor> parameters;
  std::function<torch::Tensor(const torch::Tensor&)> make;
};

// The parameters of a convolution; each list has one entry per dimension of space.
struct ConvolutionSettings {
  std::vector<std::int64_t> stride;
  std::vector<std::int64_t> padding;
  std::vector<std::int64_t> dilation;
  std::vector<Padding> modes;
  std::int64_t groups = 1;
  // The transposed convolution; zeros or circular, and no dilation when circular.
  bool transposed = false;
  std::vector<std::int64_t> output_padding = {};
  // Rounds input and kernel to bfloat16 for the convolution; sums and the result are float, and the
  // parameters are unchanged.
  bool bfloat16 = false;
  // For autocast: rounds input and kernel to this type, which the result has too. Empty: the type of the
  // input.
  c10::optional<torch::ScalarType> type = c10::nullopt;
};

// The layout of samples for a linear layer.
struct Samples {
  bool are_columns = false;  // (features, N) instead of (N, features)
  // The first `biased` samples get the bias, times its weight.
  std::int64_t biased = std::numeric_limits<std::int64_t>::max();
  double bias_weight = 1;
  // The layer's input channels form this many groups of equal size, and a sample has the channels of one
  // group. The result contains its contribution to the sum as each of the groups, out * blades * groups
  // features. The bias is part of the first group.
  std::int64_t groups = 1;
};

}  // namespace gcan::nn
