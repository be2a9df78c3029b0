#include "gcan/nn/detail/clifford_kernel.h"

#include <cmath>

#include "gcan/nn/detail/constant.h"

namespace gcan::nn::detail {

std::int64_t blade_count(const Algebra& algebra) { return std::int64_t{1} << algebra.dimension(); }

torch::Tensor clifford_kernel(const Algebra& algebra, const torch::Tensor& weight) {
  const std::vector<Blade> blades = algebra.blades();
  const std::int64_t n = blade_count(algebra);
  // For each pair (y, x) there is one blade b with x b = +-y, or none where the metric is 0.
  std::vector<std::int64_t> which(static_cast<std::size_t>(n * n), 0);
  std::vector<double> signs(static_cast<std::size_t>(n * n), 0);
  std::vector<std::int64_t> place(blades.size());
  for (std::size_t i = 0; i < blades.size(); ++i) place[blades[i]] = static_cast<std::int64_t>(i);
  for (const auto& entry : algebra.product_table(Product::geometric, blades, blades)) {
    const auto pair = static_cast<std::size_t>(place[entry.result.blade] * n) + entry.left;
    which[pair] = static_cast<std::int64_t>(entry.right);
    signs[pair] = entry.result.sign;
  }
  std::vector<std::int64_t> sign_sizes(static_cast<std::size_t>(weight.dim()) - 2, 1);
  sign_sizes[0] = n * n;
  const auto options = weight.options().requires_grad(false);
  torch::Tensor blocks = weight.index_select(2, constant(which).to(weight.device()));
  // Made as they are and then converted: torch::tensor() that converts leaves garbage in a recording
  // (LibTorch 1.13).
  blocks = blocks * constant(signs).to(options).view(sign_sizes);
  const std::int64_t out = weight.size(0);
  const std::int64_t in = weight.size(1);
  std::vector<std::int64_t> sizes = {out * n, in * n};
  for (std::int64_t d = 3; d < weight.dim(); ++d) sizes.push_back(weight.size(d));
  return blocks.unflatten(2, std::vector<std::int64_t>{n, n}).transpose(1, 2).reshape(sizes);
}

torch::Tensor clifford_rotation_kernel(const torch::Tensor& weight, const torch::Tensor& scale) {
  const auto w = weight.unbind(2);
  const torch::Tensor norm = (weight * weight).sum(2).add(1e-4).sqrt();
  const auto unit = (weight / norm.unsqueeze(2)).unbind(2);
  const auto q = [&](std::size_t i) { return unit[i]; };
  // The rotation matrix of a quaternion in the form 1 - 2 (...), which is what the released layers keep of it
  // when the norm is not exactly 1.
  const auto diagonal = [&](std::size_t i, std::size_t j) {
    return scale * (1 - 2 * (q(i) * q(i) + q(j) * q(j)));
  };
  const auto mixed = [&](std::size_t i, std::size_t j, std::size_t k, double sign) {
    return scale * (2 * (q(i) * q(j) + sign * (q(0) * q(k))));
  };
  const torch::Tensor none = torch::zeros_like(scale);
  const auto row = [](const std::vector<torch::Tensor>& entries) { return torch::stack(entries, 2); };
  const torch::Tensor blocks = torch::stack(
      {row({w[0], -w[1], -w[2], -w[3]}), row({none, diagonal(2, 3), mixed(1, 2, 3, -1), mixed(1, 3, 2, 1)}),
       row({none, mixed(1, 2, 3, 1), diagonal(1, 3), mixed(2, 3, 1, -1)}),
       row({none, mixed(1, 3, 2, -1), mixed(2, 3, 1, 1), diagonal(1, 2)})},
      1);  // (out, 4, in, 4, space...)
  return blocks.flatten(2, 3).flatten(0, 1);
}

void register_plain(torch::nn::Module& module, torch::Tensor& weight, torch::Tensor& bias) {
  const torch::NoGradGuard no_grad;
  weight = module.register_parameter("weight", weight.detach().clone());
  bias = module.register_parameter("bias", bias.defined() ? bias.detach().clone() : bias, bias.defined());
}

void clifford_init(torch::Tensor weight, std::int64_t fan_in) {
  const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
  torch::nn::init::uniform_(std::move(weight), -bound, bound);
}

void check_channels(const std::string& layer, std::int64_t in, std::int64_t out, std::int64_t groups) {
  if (in > 0 && out > 0 && groups > 0 && in % groups == 0 && out % groups == 0) return;
  throw Error(layer + " was asked for " + std::to_string(in) + " input and " + std::to_string(out) +
              " output channels in " + std::to_string(groups) +
              " groups, expected positive numbers that the groups divide.");
}

}  // namespace gcan::nn::detail
