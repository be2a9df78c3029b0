#include "gcan/nn/detail/checks.h"

namespace gcan::nn::detail {

std::string shape_text(torch::IntArrayRef sizes) {
  std::string text = "(";
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (i > 0) text += ", ";
    text += sizes[i] < 0 ? "*" : std::to_string(sizes[i]);
  }
  return text + ")";
}

void check_shape(const std::string& layer, const torch::Tensor& x, torch::IntArrayRef expected) {
  if (!x.defined()) throw Error(layer + " got an undefined tensor");
  if (!x.is_floating_point()) {
    throw Error(layer + " got a tensor of " + std::string(x.dtype().name()) +
                ", expected floating-point numbers");
  }
  bool fits = x.dim() == static_cast<std::int64_t>(expected.size());
  for (std::size_t i = 0; fits && i < expected.size(); ++i) {
    fits = expected[i] < 0 || x.size(static_cast<std::int64_t>(i)) == expected[i];
  }
  if (!fits) {
    throw Error(layer + " got a tensor of shape " + shape_text(x.sizes()) + ", expected " +
                shape_text(expected));
  }
}

void check_finite(const std::string& layer, const std::string& what, const torch::Tensor& x) {
  if (!x.device().is_cpu() || torch::isfinite(x).all().item<bool>()) return;
  throw Error(layer + " has an " + what + " that is not finite (nan or infinity)");
}

}  // namespace gcan::nn::detail
