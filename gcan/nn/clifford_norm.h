#pragma once

// Whitening of multivectors of all grades (Brandstetter et al. 2022): centres the components and multiplies
// them by the inverse Cholesky factor of their covariance, which makes them uncorrelated with variance 1.

#include <ostream>

#include "gcan/algebra/algebra.h"
#include "gcan/torch.h"

namespace gcan::nn {

struct CliffordBatchNormOptions {
  CliffordBatchNormOptions(const Algebra& algebra, std::int64_t channels)
      : algebra_(algebra), channels_(channels) {}
  TORCH_ARG(Algebra, algebra);
  TORCH_ARG(std::int64_t, channels);
  // Added to the variances, times 1 + their mean, so that constant input of any size gives 0 and not nan.
  TORCH_ARG(double, eps) = 1e-5;
  TORCH_ARG(double, momentum) = 0.1;
  // A learnable matrix over the blades and a bias, for each channel.
  TORCH_ARG(bool, affine) = true;
  // Whether to track a running mean and covariance, for evaluation.
  TORCH_ARG(bool, track_running_stats) = true;
};

// Whitens each channel over batch and space: (N, channels, blades, space...) to the same shape.
//
//   auto norm = gcan::nn::CliffordBatchNorm(gcan::Algebra(2), 8);
//   norm(torch::randn({16, 8, 4, 32, 32}));
class CliffordBatchNormImpl : public torch::nn::Cloneable<CliffordBatchNormImpl> {
 public:
  CliffordBatchNormImpl(const Algebra& algebra, std::int64_t channels)
      : CliffordBatchNormImpl(CliffordBatchNormOptions(algebra, channels)) {}
  explicit CliffordBatchNormImpl(const CliffordBatchNormOptions& options_);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& x);

  CliffordBatchNormOptions options;
  torch::Tensor weight;              // (channels, blades, blades), starts as the identity
  torch::Tensor bias;                // (channels, blades), starts at 0
  torch::Tensor running_mean;        // (channels, blades)
  torch::Tensor running_covariance;  // (channels, blades, blades)
};
TORCH_MODULE(CliffordBatchNorm);

struct CliffordGroupNormOptions {
  CliffordGroupNormOptions(const Algebra& algebra, std::int64_t groups, std::int64_t channels)
      : algebra_(algebra), groups_(groups), channels_(channels) {}
  TORCH_ARG(Algebra, algebra);
  // 1: all channels together (layer normalisation); the number of channels: each separately (instance
  // normalisation).
  TORCH_ARG(std::int64_t, groups);
  TORCH_ARG(std::int64_t, channels);
  TORCH_ARG(double, eps) = 1e-5;
  TORCH_ARG(bool, affine) = true;
};

// Whitens each group of channels of each sample over its channels and space. The same in training and
// evaluation.
//
//   auto norm = gcan::nn::CliffordGroupNorm(gcan::Algebra(2), 1, 8);
//   norm(torch::randn({16, 8, 4, 32, 32}));
class CliffordGroupNormImpl : public torch::nn::Cloneable<CliffordGroupNormImpl> {
 public:
  CliffordGroupNormImpl(const Algebra& algebra, std::int64_t groups, std::int64_t channels)
      : CliffordGroupNormImpl(CliffordGroupNormOptions(algebra, groups, channels)) {}
  explicit CliffordGroupNormImpl(const CliffordGroupNormOptions& options_);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  torch::Tensor forward(const torch::Tensor& x) { return run(x, false); }
  // gelu(forward(x)) without another pass over memory.
  torch::Tensor forward_and_gelu(const torch::Tensor& x) { return run(x, true); }

  CliffordGroupNormOptions options;
  torch::Tensor weight;  // (channels, blades, blades), starts as the identity
  torch::Tensor bias;    // (channels, blades), starts at 0

 private:
  [[nodiscard]] torch::Tensor run(const torch::Tensor& x, bool gelu) const;
};
TORCH_MODULE(CliffordGroupNorm);

}  // namespace gcan::nn
