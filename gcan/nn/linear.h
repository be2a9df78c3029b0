#pragma once

#include "gcan/nn/action_layer.h"

namespace gcan::nn {

// Options of GcaLinear; see ActionOptions for all of them.
class GcaLinearOptions : public ActionOptions<GcaLinearOptions> {
 public:
  GcaLinearOptions(Algebra algebra, std::int64_t in_channels, std::int64_t out_channels)
      : ActionOptions(ActionSettings(algebra, in_channels, out_channels)) {}

  using ActionOptions::released;
  // As released with the paper: the reverse as inverse, and a delta that starts at zero, also for blades that
  // it does not affect.
  GcaLinearOptions& released(bool released) { return set_released(released, Inverse::reverse); }
};

// T(x)_o = sum_i w_oi a_oi x_i a_oi^-1: a linear layer whose entries are group actions, so that k-vectors
// map to k-vectors.
//
//   auto pga = gcan::Algebra::pga3d();
//   auto layer = gcan::nn::GcaLinear(pga, 128, 128);
//   auto y = layer(x);                       // (N, 128, 3) -> (N, 128, 3)
class GcaLinearImpl : public torch::nn::Cloneable<GcaLinearImpl>, public ActionParameters {
 public:
  GcaLinearImpl(const Algebra& algebra, std::int64_t in_channels, std::int64_t out_channels)
      : GcaLinearImpl(GcaLinearOptions(algebra, in_channels, out_channels)) {}
  explicit GcaLinearImpl(GcaLinearOptions options_);

  void reset() override;
  // x is (..., in, blades) with any number of dimensions in front; the result (..., out, blades).
  torch::Tensor forward(const torch::Tensor& x);
  // The same with the samples last: x is (in * blades, N), the result (out * blades, N). Samples from
  // `points` on are directions, which the constant blades and the bias leave alone.
  torch::Tensor forward_columns(const torch::Tensor& x,
                                std::int64_t points = std::numeric_limits<std::int64_t>::max());
  // The same with a full description of the samples, which are columns.
  torch::Tensor forward_columns(const torch::Tensor& x, Samples samples);
  // forward_columns(torch::cat({h, inner.forward_columns(s, of_inner)}), of_inner.biased). For many columns
  // it multiplies the two kernels first, which saves a product with every column.
  torch::Tensor forward_columns_after(GcaLinearImpl& inner, const torch::Tensor& h, const torch::Tensor& s,
                                      Samples of_inner);
  void pretty_print(std::ostream& stream) const override;

  void fold() override;
  // LibTorch's layer that computes the same function on (N, channels * blades).
  [[nodiscard]] torch::nn::Linear to_torch() const;

  GcaLinearOptions options;
};
TORCH_MODULE(GcaLinear);

}  // namespace gcan::nn
