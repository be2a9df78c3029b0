#include "gcan/nn/clifford_norm.h"

#include <algorithm>

namespace gcan::nn {
namespace {

using torch::Tensor;

// Of samples (..., blades, count).
struct Statistics {
  Tensor mean;        // (..., blades)
  Tensor covariance;  // (..., blades, blades)
};

Statistics statistics(const Tensor& samples) {
  const Tensor mean = samples.mean(-1, true);
  const Tensor centred = samples - mean;
  const Tensor covariance =
      torch::matmul(centred, centred.transpose(-1, -2)) / static_cast<double>(samples.size(-1));
  return {mean.squeeze(-1), covariance};
}

// m L^-1 with L the Cholesky factor of the covariance: x -> L^-1 x whitens. (The released layers apply the
// transpose of L^-1, after which the components are still correlated.)
Tensor over_cholesky(const Tensor& m, const Tensor& covariance, double eps) {
  const std::int64_t blades = covariance.size(-1);
  const Tensor mean_variance = covariance.diagonal(0, -2, -1).mean(-1, true).unsqueeze(-1);
  const Tensor identity = torch::eye(blades, covariance.options().requires_grad(false));
  const Tensor factor = torch::linalg_cholesky(covariance + eps * (1 + mean_variance) * identity);
  return torch::linalg_solve_triangular(factor, m.expand_as(factor), /*upper=*/false, /*left=*/false);
}

Tensor identities(std::int64_t channels, std::int64_t blades) {
  return torch::eye(blades).expand({channels, blades, blades}).clone();
}

std::vector<std::int64_t> expected_shape(const Tensor& x, std::int64_t channels, std::int64_t blades) {
  std::vector<std::int64_t> sizes = {-1, channels, blades};
  sizes.resize(static_cast<std::size_t>(std::max<std::int64_t>(x.defined() ? x.dim() : 3, 3)), -1);
  return sizes;
}

std::string text(const CliffordBatchNormOptions& options) {
  std::string result = "CliffordBatchNorm(";
  result += options.algebra().to_string();
  return result + ", " + std::to_string(options.channels()) + ")";
}

std::string text(const CliffordGroupNormOptions& options) {
  std::string result = "CliffordGroupNorm(";
  result += options.algebra().to_string();
  result += ", " + std::to_string(options.groups());
  return result + ", " + std::to_string(options.channels()) + ")";
}

}  // namespace

CliffordBatchNormImpl::CliffordBatchNormImpl(const CliffordBatchNormOptions& options_) : options(options_) {
  reset();
}

void CliffordBatchNormImpl::reset() {
  check_channels(text(options), options.channels(), options.channels(), 1);
  const std::int64_t n = blade_count(options.algebra());
  const std::int64_t channels = options.channels();
  const auto made = [](bool wanted, const Tensor& x) { return wanted ? x : Tensor(); };
  weight = register_parameter("weight", made(options.affine(), identities(channels, n)), options.affine());
  bias = register_parameter("bias", made(options.affine(), torch::zeros({channels, n})), options.affine());
  const bool tracks = options.track_running_stats();
  running_mean = register_buffer("running_mean", made(tracks, torch::zeros({channels, n})));
  running_covariance = register_buffer("running_covariance", made(tracks, identities(channels, n)));
}

void CliffordBatchNormImpl::reset_parameters() {
  const torch::NoGradGuard no_grad;
  const Tensor identity = torch::eye(blade_count(options.algebra()));
  if (weight.defined()) weight.copy_(identity.expand_as(weight));
  if (bias.defined()) bias.zero_();
  if (running_mean.defined()) running_mean.zero_();
  if (running_covariance.defined()) running_covariance.copy_(identity.expand_as(running_covariance));
}

void CliffordBatchNormImpl::pretty_print(std::ostream& stream) const {
  stream << "gcan::nn::" << text(options);
}

torch::Tensor CliffordBatchNormImpl::forward(const torch::Tensor& x) {
  const std::int64_t n = blade_count(options.algebra());
  check_shape(text(options), x, expected_shape(x, options.channels(), n));
  if (x.numel() == 0) return x.clone();
  const Tensor flat = x.reshape({x.size(0), options.channels(), n, -1});
  const bool from_batch = is_training() || !running_mean.defined();
  const Statistics own = from_batch ? statistics(flat.permute({1, 2, 0, 3}).flatten(2))
                                    : Statistics{running_mean, running_covariance};
  if (is_training() && running_mean.defined()) {
    const torch::NoGradGuard no_grad;
    running_mean.lerp_(own.mean.to(running_mean.dtype()), options.momentum());
    running_covariance.lerp_(own.covariance.to(running_covariance.dtype()), options.momentum());
  }
  const Tensor whole = weight.defined() ? weight : torch::eye(n, x.options().requires_grad(false));
  const Tensor matrix = over_cholesky(whole, own.covariance, options.eps());
  Tensor y = torch::matmul(matrix, flat - own.mean.unsqueeze(-1));
  if (bias.defined()) y = y + bias.unsqueeze(-1);
  return y.view(x.sizes());
}

CliffordGroupNormImpl::CliffordGroupNormImpl(const CliffordGroupNormOptions& options_) : options(options_) {
  reset();
}

void CliffordGroupNormImpl::reset() {
  check_channels(text(options), options.channels(), options.channels(), options.groups());
  const std::int64_t n = blade_count(options.algebra());
  const std::int64_t channels = options.channels();
  const bool affine = options.affine();
  weight = register_parameter("weight", affine ? identities(channels, n) : Tensor(), affine);
  bias = register_parameter("bias", affine ? torch::zeros({channels, n}) : Tensor(), affine);
}

void CliffordGroupNormImpl::reset_parameters() {
  const torch::NoGradGuard no_grad;
  if (weight.defined()) weight.copy_(torch::eye(blade_count(options.algebra())).expand_as(weight));
  if (bias.defined()) bias.zero_();
}

void CliffordGroupNormImpl::pretty_print(std::ostream& stream) const {
  stream << "gcan::nn::" << text(options);
}

torch::Tensor CliffordGroupNormImpl::forward(const torch::Tensor& x) {
  const std::int64_t n = blade_count(options.algebra());
  check_shape(text(options), x, expected_shape(x, options.channels(), n));
  if (x.numel() == 0) return x.clone();
  const std::int64_t groups = options.groups();
  const std::int64_t channels = options.channels() / groups;
  const Tensor grouped = x.reshape({x.size(0), groups, channels, n, -1});
  const Statistics own = statistics(grouped.transpose(2, 3).flatten(3));
  // One matrix for each sample and channel: that of the channel after that of its group.
  const Tensor whole = weight.defined() ? weight.view({groups, channels, n, n})
                                        : torch::eye(n, x.options().requires_grad(false));
  const Tensor covariance = own.covariance.unsqueeze(2).expand({-1, -1, channels, -1, -1});
  const Tensor matrix = over_cholesky(whole, covariance, options.eps());
  Tensor y = torch::matmul(matrix, grouped - own.mean.unsqueeze(2).unsqueeze(-1));
  if (bias.defined()) y = y + bias.view({groups, channels, n, 1});
  return y.view(x.sizes());
}

}  // namespace gcan::nn
