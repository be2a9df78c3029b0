#pragma once

// Norm and gate fused, as in the paper's residual blocks.

#include <ostream>

#include "gcan/nn/msilu.h"
#include "gcan/nn/norm.h"
#include "gcan/torch.h"

namespace gcan::nn {

struct NormMSiLUOptions {
  NormMSiLUOptions(const Algebra& algebra, std::int64_t channels)
      : norm_(algebra, channels), gate_(algebra, channels) {}
  NormMSiLUOptions(GcaNormOptions norm, MSiLUOptions gate) : norm_(std::move(norm)), gate_(std::move(gate)) {}

  TORCH_ARG(GcaNormOptions, norm);
  TORCH_ARG(MSiLUOptions, gate);
};

// GcaNorm followed by MSiLU with fewer passes over memory. The backward pass recomputes the intermediate
// result, so one activation is saved instead of two.
//
//   auto layer = gcan::nn::NormMSiLU(gcan::Algebra(3), 64);
//   auto y = layer(x);                       // (N, 64, 3, height, width)
class NormMSiLUImpl : public torch::nn::Cloneable<NormMSiLUImpl> {
 public:
  NormMSiLUImpl(const Algebra& algebra, std::int64_t channels)
      : NormMSiLUImpl(NormMSiLUOptions(algebra, channels)) {}
  explicit NormMSiLUImpl(NormMSiLUOptions options);

  void reset() override;
  void pretty_print(std::ostream& stream) const override;

  torch::Tensor forward(const torch::Tensor& x);
  // The same function with tensor operations, for other devices and types.
  [[nodiscard]] torch::Tensor forward_with_tensors(const torch::Tensor& x) const;

  NormMSiLUOptions options;
  GcaNorm norm{nullptr};
  MSiLU gate{nullptr};

 private:
  [[nodiscard]] detail::NormTensors tensors(const torch::TensorOptions& like) const;
};

TORCH_MODULE(NormMSiLU);

}  // namespace gcan::nn
