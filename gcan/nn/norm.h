#pragma once

// The normalisation of the paper.

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "gcan/algebra/algebra.h"
#include "gcan/kernels/divisor.h"
#include "gcan/nn/objects.h"
#include "gcan/torch.h"

namespace gcan::nn {

namespace detail {
struct NormSettings;
struct NormTensors;
}  // namespace detail

// The divisor of centred multivectors: the mean norm before centring (the paper's formula, and the fastest),
// the mean norm after centring (the released layers with scale_norm), or none (the released layers as used in
// their networks).
using kernels::Divisor;

// One learnt factor per grade (the paper's s_k), one per channel (the released layers), or none.
enum class NormScale { none, per_grade, per_channel };

struct GcaNormOptions {
  GcaNormOptions(Algebra algebra, std::int64_t channels)
      : algebra_(algebra), channels_(channels), objects_(default_objects(algebra_)) {}

  TORCH_ARG(Algebra, algebra);
  TORCH_ARG(std::int64_t, channels);
  // The blades of the features, in order.
  TORCH_ARG(std::vector<Blade>, objects);
  // Number of groups of channels, each with its own statistics.
  TORCH_ARG(std::int64_t, groups) = 1;
  // Whether statistics include space, or only the channels at each position.
  TORCH_ARG(bool, space) = true;
  TORCH_ARG(Divisor, divisor) = Divisor::mean_norm;
  TORCH_ARG(NormScale, scale) = NormScale::per_grade;
  // A learnt multivector per channel that is added at the end.
  TORCH_ARG(bool, bias) = false;
  // Added to the mean norm. If both are 0, the result is 0.
  TORCH_ARG(double, eps) = 1e-5;

 public:
  // As released with the paper: centring, a factor per channel and a bias per channel and blade. The released
  // `scale_norm` is divisor(Divisor::mean_centred_norm) after it.
  GcaNormOptions& released(bool released) {
    return released ? divisor(Divisor::one).scale(NormScale::per_channel).bias(true).eps(0) : *this;
  }
};

// Centres the multivectors of a group of channels and divides each grade by its mean norm: k-vectors are only
// translated and scaled. (N, channels, blades, space...) in and out.
//
// The norm is the Euclidean one of the components: the algebra's own norm vanishes on blades with e0, which
// are all that points store, and is indefinite when q > 0.
//
//   auto norm = gcan::nn::GcaNorm(gcan::Algebra(3), 64);
//   auto y = norm(x);                        // (N, 64, 3, height, width)
class GcaNormImpl : public torch::nn::Cloneable<GcaNormImpl> {
 public:
  GcaNormImpl(const Algebra& algebra, std::int64_t channels)
      : GcaNormImpl(GcaNormOptions(algebra, channels)) {}
  explicit GcaNormImpl(GcaNormOptions options);

  // Factors 1, bias 0.
  void reset() override;
  void pretty_print(std::ostream& stream) const override;

  torch::Tensor forward(const torch::Tensor& x);
  // The same function with tensor operations, for other devices and types.
  [[nodiscard]] torch::Tensor forward_with_tensors(const torch::Tensor& x) const;

  // Error unless the layer takes x.
  void check(const torch::Tensor& x) const;
  [[nodiscard]] const detail::NormSettings& settings() const { return *settings_; }
  // The factors as (channels, grades) and the bias, as arguments of the function.
  [[nodiscard]] detail::NormTensors tensors(const torch::TensorOptions& like) const;

  GcaNormOptions options;
  torch::Tensor weight;  // (grades) or (channels)
  torch::Tensor bias;    // (channels, blades)

 private:
  std::shared_ptr<const detail::NormSettings> settings_;
};

TORCH_MODULE(GcaNorm);

}  // namespace gcan::nn
