#pragma once

// Two-dimensional convolutions in float by the kernels of gcan/kernels, and the choice between them and
// LibTorch's.

#include <array>
#include <optional>
#include <string>

#include "gcan/nn/detail/convolution.h"
#include "gcan/torch.h"

namespace gcan::nn::detail {

enum class ConvolutionWay {
  libtorch,  // LibTorch's own, which has oneDNN below
  direct,    // the sum of products, see gcan/kernels/direct_convolution.h
  winograd,  // minimal filtering, see gcan/kernels/winograd.h
};
const char* to_string(ConvolutionWay way);

// The way for an input of (N, in, height, width) and a kernel: Winograd's for 3x3 without stride, the sum of
// products for one point and for strides, LibTorch's for all else (see way_rules()).
ConvolutionWay way_of(const torch::Tensor& x, const torch::Tensor& kernel,
                      const ConvolutionSettings& settings);

// The rules of way_of() in words, a line each.
std::vector<std::string> way_rules();

// The environment variable GCAN_CONVOLUTION (libtorch, direct or winograd) as it was at the first question:
// only this way is taken, and LibTorch's where it does not serve. Error for another word.
std::optional<ConvolutionWay> way_by_environment();

// The same for this thread while the object lives.
class ConvolutionWayGuard {
 public:
  explicit ConvolutionWayGuard(ConvolutionWay way);
  ~ConvolutionWayGuard();
  ConvolutionWayGuard(const ConvolutionWayGuard&) = delete;
  ConvolutionWayGuard& operator=(const ConvolutionWayGuard&) = delete;

 private:
  std::optional<ConvolutionWay> before_;
};
// Whether LibTorch's way is all that may be taken.
bool wants_libtorch();

// The convolution, with its padding, by a way that is not LibTorch's and that way_of() could give, plus `add`
// of the result's shape unless that is undefined.
torch::Tensor cpu_convolution(ConvolutionWay way, const torch::Tensor& x, const ConvolutionSettings& settings,
                              const AssembledKernel& made, const torch::Tensor& add = {});
// Gradients of input, kernel and bias; undefined where not wanted.
std::array<torch::Tensor, 3> cpu_convolution_gradients(ConvolutionWay way, const torch::Tensor& grad,
                                                       const torch::Tensor& x,
                                                       const ConvolutionSettings& settings,
                                                       const torch::Tensor& kernel,
                                                       std::array<bool, 3> wanted);

}  // namespace gcan::nn::detail
