#include "gcan/nn/detail/features.h"

#include <algorithm>

#include "gcan/nn/detail/checks.h"
#include "gcan/nn/detail/tensor_path.h"

namespace gcan::nn::detail {

Features::Features(const torch::Tensor& x)
    : samples(x.size(0)), channels(x.size(1)), blades(x.size(2)), space(1) {
  for (std::int64_t i = 3; i < x.dim(); ++i) space *= x.size(i);
}

std::size_t Features::grain() const {
  constexpr std::int64_t kNumbers = 32768;  // several times the cost of starting a thread
  return static_cast<std::size_t>(
      std::max<std::int64_t>(kNumbers / std::max<std::int64_t>(blades * space, 1), 1));
}

torch::Tensor flat_space(const torch::Tensor& x) {
  const Features f(x);
  return x.reshape({f.samples, f.channels, f.blades, f.space});
}

void check_features(const std::function<std::string()>& name, const torch::Tensor& x, std::int64_t channels,
                    std::size_t blades, const torch::Tensor& parameter) {
  const bool fits = x.defined() && x.is_floating_point() && x.dim() >= 3 && x.size(1) == channels &&
                    x.size(2) == static_cast<std::int64_t>(blades);
  if (!fits) {
    const std::int64_t dimensions = x.defined() ? std::max<std::int64_t>(x.dim(), 3) : 3;
    std::vector<std::int64_t> expected(static_cast<std::size_t>(dimensions), -1);
    expected[1] = channels;
    expected[2] = static_cast<std::int64_t>(blades);
    check_shape(name(), x, expected);
  }
  if (!parameter.defined()) return;
  if (parameter.device() != x.device()) {
    throw Error(name() + " got a tensor on " + x.device().str() + ", its parameters are on " +
                parameter.device().str() + "; move one of them with .to(device)");
  }
  if (has_kernel(x) && parameter.scalar_type() != x.scalar_type()) {
    throw Error(name() + " got a tensor of " + std::string(x.dtype().name()) + ", its parameters are of " +
                std::string(parameter.dtype().name()) + "; convert one of them with .to(dtype)");
  }
}

bool has_kernel(const torch::Tensor& x) {
  const bool fits = x.scalar_type() == torch::kFloat || x.scalar_type() == torch::kDouble;
  return x.device().is_cpu() && fits && !wants_tensors();
}

torch::ScalarType compute_type(const torch::Tensor& x) {
  return x.scalar_type() == torch::kDouble ? torch::kDouble : torch::kFloat;
}

torch::autograd::variable_list gradients_of(const torch::autograd::variable_list& outputs,
                                            const torch::autograd::variable_list& grads,
                                            const torch::autograd::variable_list& inputs,
                                            bool differentiable) {
  const auto asked = [](const torch::Tensor& input) { return input.defined() && input.requires_grad(); };
  torch::autograd::variable_list wanted;
  for (const auto& input : inputs) {
    if (asked(input)) wanted.push_back(input);
  }
  torch::autograd::variable_list gradients(inputs.size());
  if (wanted.empty()) return gradients;
  const auto found = torch::autograd::grad(outputs, wanted, grads, /*retain_graph=*/differentiable,
                                           /*create_graph=*/differentiable, /*allow_unused=*/true);
  for (std::size_t i = 0, next = 0; i < inputs.size(); ++i) {
    if (asked(inputs[i])) gradients[i] = found[next++];
  }
  return gradients;
}

torch::autograd::variable_list differentiable_gradients(
    const std::function<torch::Tensor(const torch::autograd::variable_list&)>& f,
    const torch::autograd::variable_list& inputs, const torch::Tensor& dy) {
  return gradients_of({f(inputs)}, {dy}, inputs, true);
}

}  // namespace gcan::nn::detail
