#pragma once

// Two-dimensional float convolutions by gcan/kernels, and the choice between them and LibTorch's.

#include <array>
#include <optional>
#include <string>

#include "gcan/nn/detail/convolution.h"
#include "gcan/torch.h"

namespace gcan::nn::detail {

enum class ConvolutionWay {
  libtorch,  // LibTorch's own, which calls oneDNN
  direct,    // direct sum of products, see gcan/kernels/direct_convolution.h
  winograd,  // minimal filtering, see gcan/kernels/winograd.h
};
const char* to_string(ConvolutionWay way);

// The implementation for an input (N, in, height, width) and a kernel: Winograd's for 3x3 without stride,
// the direct sum for one-point kernels and strides, LibTorch's otherwise (see way_rules()).
ConvolutionWay way_of(const torch::Tensor& x, const torch::Tensor& kernel,
                      const ConvolutionSettings& settings);

// The rules of way_of() as text, one per line.
std::vector<std::string> way_rules();

// The environment variable GCAN_CONVOLUTION (libtorch, direct or winograd), read once. It selects this
// implementation only, with LibTorch's as the fallback. Error for another value.
std::optional<ConvolutionWay> way_by_environment();

// Overrides the implementation in this thread during the object's lifetime.
class ConvolutionWayGuard {
 public:
  explicit ConvolutionWayGuard(ConvolutionWay way);
  ~ConvolutionWayGuard();
  ConvolutionWayGuard(const ConvolutionWayGuard&) = delete;
  ConvolutionWayGuard& operator=(const ConvolutionWayGuard&) = delete;

 private:
  std::optional<ConvolutionWay> before_;
};
// Whether only LibTorch's implementation is allowed.
bool wants_libtorch();

// The convolution with its padding by one of our implementations, as chosen by way_of(), plus `add` if it
// is defined (of the result's shape).
torch::Tensor cpu_convolution(ConvolutionWay way, const torch::Tensor& x, const ConvolutionSettings& settings,
                              const AssembledKernel& made, const torch::Tensor& add = {});
// Gradients of input, kernel and bias; undefined where not needed.
std::array<torch::Tensor, 3> cpu_convolution_gradients(ConvolutionWay way, const torch::Tensor& grad,
                                                       const torch::Tensor& x,
                                                       const ConvolutionSettings& settings,
                                                       const torch::Tensor& kernel,
                                                       std::array<bool, 3> wanted);

}  // namespace gcan::nn::detail
