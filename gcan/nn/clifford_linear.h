#pragma once

#include <ostream>

#include "gcan/nn/detail/clifford_kernel.h"

namespace gcan::nn {

struct CliffordLinearOptions {
  CliffordLinearOptions(const Algebra& algebra, std::int64_t in_channels, std::int64_t out_channels)
      : algebra_(algebra), in_channels_(in_channels), out_channels_(out_channels) {}
  TORCH_ARG(Algebra, algebra);
  TORCH_ARG(std::int64_t, in_channels);
  TORCH_ARG(std::int64_t, out_channels);
  TORCH_ARG(bool, bias) = true;
};

// A linear layer whose numbers are multivectors of all grades: y_o = sum_i x_i w_oi + b_o (Brandstetter et
// al. 2022). Any algebra; the released layers have dimensions 1 to 3.
//
//   auto layer = gcan::nn::CliffordLinear(gcan::nn::CliffordLinearOptions(gcan::Algebra(3), 16, 32));
//   layer(torch::randn({64, 16, 8}));          // (64, 32, 8)
class CliffordLinearImpl : public torch::nn::Cloneable<CliffordLinearImpl> {
 public:
  explicit CliffordLinearImpl(const CliffordLinearOptions& options_);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& x);

  CliffordLinearOptions options;
  torch::Tensor weight;  // (out, in, blades)
  torch::Tensor bias;    // (out, blades)
};
TORCH_MODULE(CliffordLinear);

}  // namespace gcan::nn
