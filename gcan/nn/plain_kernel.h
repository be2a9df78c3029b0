#pragma once

// A group action layer or Clifford layer computes what an ordinary linear layer or convolution computes with
// a kernel made of its parameters. These are the types in which layers describe that kernel and its use.

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

// A function that makes a kernel, together with the parameters that it reads, which are leaves.
struct Recipe {
  std::vector<torch::Tensor> parameters;
  std::function<AssembledKernel()> make;
};

// A function applied to the input before the convolution, norm and activation for example. Its result is
// recomputed in the backward pass instead of being kept. Without a function the input stays as it is.
struct Preparation {
  std::vector<torch::Tensor> parameters;
  std::function<torch::Tensor(const torch::Tensor&)> make;
};

// How a convolution uses its kernel; each list has one entry per dimension of space.
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
  // parameters stay as they are.
  bool bfloat16 = false;
};

// How a linear layer reads the samples of a matrix.
struct Samples {
  bool are_columns = false;  // (features, N) instead of (N, features)
  // The first `biased` samples get the bias, times its weight.
  std::int64_t biased = std::numeric_limits<std::int64_t>::max();
  double bias_weight = 1;
  // The layer's input channels form this many groups of equal size, and a sample has the channels of one
  // group: the result is what it would add to the sum as each of the groups, out * blades * groups features.
  // The bias goes with the first group.
  std::int64_t groups = 1;
};

}  // namespace gcan::nn
