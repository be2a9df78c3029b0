#pragma once

#include <ostream>

#include "gcan/algebra/algebra.h"
#include "gcan/nn/fold.h"
#include "gcan/torch.h"

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
//   auto layer = gcan::nn::CliffordLinear(gcan::Algebra(3), 16, 32);
//   layer(torch::randn({64, 16, 8}));          // (64, 32, 8)
class CliffordLinearImpl : public torch::nn::Cloneable<CliffordLinearImpl>, public Foldable {
 public:
  CliffordLinearImpl(const Algebra& algebra, std::int64_t in_channels, std::int64_t out_channels)
      : CliffordLinearImpl(CliffordLinearOptions(algebra, in_channels, out_channels)) {}
  explicit CliffordLinearImpl(const CliffordLinearOptions& options_);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& x);
  void fold() override;
  [[nodiscard]] bool is_folded() const override { return folded_; }

  CliffordLinearOptions options;
  // (out, in, blades) and (out, blades); in a folded layer those of the plain one.
  torch::Tensor weight;
  torch::Tensor bias;

 private:
  bool folded_ = false;
};
TORCH_MODULE(CliffordLinear);

}  // namespace gcan::nn
