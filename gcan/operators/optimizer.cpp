// Adam and AdamW on all parameters of a group in one call.

#include <torch/library.h>

#include <map>
#include <tuple>

#include "gcan/base/error.h"
#include "gcan/nn/detail/adam_step.h"
#include "gcan/nn/detail/checks.h"
#include "gcan/operators/differentiable.h"

namespace gcan::operators {
namespace {

using nn::detail::AdamTensors;

void check(const Tensor& parameter, const Tensor& gradient, const Tensor& mean, const Tensor& square) {
  if (gradient.layout() != torch::kStrided) {
    throw Error("Adam got a sparse gradient, which torch.optim.SparseAdam supports");
  }
  if (!torch::isFloatingType(parameter.scalar_type())) {
    throw Error("Adam got a parameter of type " + std::string(parameter.dtype().name()) +
                ", expected real floating-point numbers");
  }
  for (const Tensor& other : {gradient, mean, square}) {
    if (other.sizes() == parameter.sizes() && other.scalar_type() == parameter.scalar_type()) continue;
    throw Error("Adam got a parameter of shape " + nn::detail::shape_text(parameter.sizes()) + " and type " +
                std::string(parameter.dtype().name()) + " with a gradient or moment of shape " +
                nn::detail::shape_text(other.sizes()) + " and type " + std::string(other.dtype().name()) +
                "; is the state that of another network?");
  }
}

// Increments the counter of one parameter's steps: a number of any type, on any device.
std::int64_t next(const Tensor& step) {
  if (step.device().is_cpu() && step.scalar_type() == torch::kFloat && step.numel() == 1) {
    torch::autograd::impl::bump_version(step);
    return static_cast<std::int64_t>(++*step.data_ptr<float>());
  }
  return static_cast<std::int64_t>(step.add_(1).item<double>());
}

template <class T>
void update_numbers(const kernels::AdamRule& rule, const Tensor& parameter, const Tensor& gradient,
                    const Tensor& mean, const Tensor& square) {
  nn::detail::adam_update<T>(
      rule, {parameter.data_ptr<T>(), gradient.data_ptr<T>(), mean.data_ptr<T>(), square.data_ptr<T>()},
      static_cast<std::size_t>(parameter.numel()));
  for (const Tensor& changed : {parameter, mean, square}) torch::autograd::impl::bump_version(changed);
}

void adam_step(at::TensorList parameters, at::TensorList gradients, at::TensorList means,
               at::TensorList squares, at::TensorList steps, double learning_rate, double beta1, double beta2,
               double epsilon, double weight_decay, bool decoupled, bool maximize) {
  const std::size_t count = parameters.size();
  if (gradients.size() != count || means.size() != count || squares.size() != count ||
      steps.size() != count) {
    throw Error("gcan::adam_step got lists of different lengths");
  }
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < count; ++i) check(parameters[i], gradients[i], means[i], squares[i]);
  kernels::AdamRule rule{1,       learning_rate, beta1,     beta2,
                         epsilon, weight_decay,  decoupled, maximize ? -1.0 : 1.0};
  // What the kernel does not support, by what operations on lists of tensors must have in common.
  using Kind = std::tuple<torch::DeviceType, torch::DeviceIndex, torch::ScalarType, std::int64_t>;
  std::map<Kind, AdamTensors> others;
  for (std::size_t i = 0; i < count; ++i) {
    const Tensor &parameter = parameters[i], &mean = means[i], &square = squares[i];
    rule.step = next(steps[i]);
    if (served(parameter) && parameter.is_contiguous() && mean.is_contiguous() && square.is_contiguous()) {
      const Tensor gradient = gradients[i].contiguous();
      if (parameter.scalar_type() == torch::kFloat) {
        update_numbers<float>(rule, parameter, gradient, mean, square);
      } else {
        update_numbers<double>(rule, parameter, gradient, mean, square);
      }
      continue;
    }
    const torch::Device device = parameter.device();
    AdamTensors& list = others[{device.type(), device.index(), parameter.scalar_type(), rule.step}];
    list.parameters.push_back(parameter);
    list.gradients.push_back(gradients[i]);
    list.means.push_back(mean);
    list.squares.push_back(square);
  }
  for (auto& [kind, list] : others) {
    rule.step = std::get<std::int64_t>(kind);
    nn::detail::adam_update(rule, list, nn::detail::takes_lists(list.parameters[0].device()));
  }
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(gcan, library) {
  library.def(
      "adam_step(Tensor(a!)[] parameters, Tensor[] gradients, Tensor(b!)[] means, Tensor(c!)[] squares, "
      "Tensor(d!)[] steps, float learning_rate, float beta1, float beta2, float epsilon, float weight_decay, "
      "bool decoupled, bool maximize) -> ()");
}
// For every device; changes tensors in place, without gradients of its own.
TORCH_LIBRARY_IMPL(gcan, CompositeExplicitAutograd, library) { library.impl("adam_step", adam_step); }
TORCH_LIBRARY_IMPL(gcan, Autograd, library) {
  library.impl("adam_step", torch::CppFunction::makeFallthrough());
}

}  // namespace gcan::operators
