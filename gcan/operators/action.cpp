// Group actions: the kernel of a layer, and the linear layer fused with the assembly of its kernel.

#include <torch/library.h>

#include <limits>

#include "gcan/base/error.h"
#include "gcan/nn/detail/checks.h"
#include "gcan/nn/detail/features.h"
#include "gcan/nn/detail/functions.h"
#include "gcan/operators/autocast.h"
#include "gcan/operators/differentiable.h"
#include "gcan/operators/plans.h"

namespace gcan::operators {
namespace {

using Ints = at::IntArrayRef;
using nn::AssembledKernel;
using nn::Samples;
using Two = std::tuple<Tensor, Tensor>;
using Three = std::tuple<Tensor, Tensor, Tensor>;
using Five = std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor>;

Tensor empty_like_none(const Tensor& like) { return torch::empty({0}, like.options().requires_grad(false)); }

// ---- the kernel -------------------------------------------------------------------------------------------

using KernelOperator = Two(const Tensor&, const Tensor&, const Tensor&, Ints, double);
using KernelGradients = Three(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, Ints,
                              double);

Two call_kernel(const Tensor& action, const Tensor& weight, const Tensor& delta, Ints plan, double eps) {
  static const auto handle = operator_named<KernelOperator>("gcan::action_kernel");
  return handle.call(action, weight, delta, plan, eps);
}

Two kernel_by_tensors(const Tensor& action, const Tensor& weight, const Tensor& delta, Ints plan,
                      double eps) {
  const AssembledKernel made =
      kernel_of(plan, eps, weight.sizes())->assemble_by_tensors(action, weight, delta);
  return {made.kernel, made.bias.defined() ? made.bias : empty_like_none(action)};
}

Two kernel_on_cpu(const Tensor& action, const Tensor& weight, const Tensor& delta, Ints plan, double eps) {
  if (!served(action)) {
    const auto [kernel, bias] =
        kernel_on_cpu(action.to(torch::kFloat), weight.to(torch::kFloat), delta.to(torch::kFloat), plan, eps);
    return {kernel.to(action.scalar_type()), bias.to(action.scalar_type())};
  }
  const auto self = kernel_of(plan, eps, weight.sizes());
  const AssembledKernel made = nn::detail::assemble_forward(*self, action, weight, delta);
  return {made.kernel, made.bias};
}

Two kernel_shapes(const Tensor& action, const Tensor& weight, const Tensor& delta, Ints numbers,
                  double /*eps*/) {
  const Plan plan(numbers);
  std::vector<c10::SymInt> sizes = weight.sym_sizes().vec();
  // Every pair of channels has a block of objects x objects.
  const bool shifted = plan.constants() > 0 && delta.dim() == 2;
  const c10::SymInt rows = sizes[0];
  for (std::size_t i = 0; i < 2; ++i) sizes[i] = sizes[i] * plan.objects();
  return {action.new_empty_symint(sizes),
          action.new_empty_symint({shifted ? rows * plan.objects() : c10::SymInt(0)})};
}

Three kernel_gradients_on_cpu(const Tensor& kernel_grads, const Tensor& bias_grads, const Tensor& action,
                              const Tensor& weight, const Tensor& delta, Ints plan, double eps) {
  const auto self = kernel_of(plan, eps, weight.sizes());
  const Tensor bias = bias_grads.numel() > 0 ? bias_grads : Tensor();
  const variable_list found =
      nn::detail::assemble_backward(*self, {action, weight, delta}, kernel_grads, bias);
  return {found[0], found[1], found[2].defined() ? found[2] : torch::zeros_like(delta)};
}

Three kernel_gradient_shapes(const Tensor& /*kernel_grads*/, const Tensor& /*bias_grads*/,
                             const Tensor& action, const Tensor& weight, const Tensor& delta, Ints /*plan*/,
                             double /*eps*/) {
  return {torch::empty_like(action), torch::empty_like(weight), torch::empty_like(delta)};
}

// Unlike in the other operators, both outputs have gradients.
struct KernelFunction : torch::autograd::Function<KernelFunction> {
  static variable_list forward(torch::autograd::AutogradContext* context, const Tensor& action,
                               const Tensor& weight, const Tensor& delta,
                               const std::vector<std::int64_t>& plan, double eps) {
    context->save_for_backward({action, weight, delta});
    context->saved_data["plan"] = plan;
    context->saved_data["eps"] = eps;
    const at::AutoDispatchBelowADInplaceOrView below;
    const auto [kernel, bias] = call_kernel(action, weight, delta, plan, eps);
    return {kernel, bias};
  }

  static variable_list backward(torch::autograd::AutogradContext* context, variable_list grads) {
    const variable_list saved = context->get_saved_variables();
    const std::vector<std::int64_t> plan = context->saved_data["plan"].toIntVector();
    const double eps = context->saved_data["eps"].toDouble();
    variable_list result;
    if (torch::GradMode::is_enabled()) {
      const auto [kernel, bias] = kernel_by_tensors(saved[0], saved[1], saved[2], plan, eps);
      variable_list outputs, given;
      const auto add = [&](const Tensor& output, const Tensor& grad) {
        if (!grad.defined() || output.numel() == 0) return;
        outputs.push_back(output);
        given.push_back(grad);
      };
      add(kernel, grads[0]);
      add(bias, grads[1]);
      result = nn::detail::gradients_of(outputs, given, saved, true);
    } else {
      static const auto handle = operator_named<KernelGradients>("gcan::action_kernel_backward");
      const auto [action, weight, delta] =
          handle.call(grads[0], grads[1], saved[0], saved[1], saved[2], plan, eps);
      result = {action, weight, delta};
    }
    for (std::size_t i = 0; i < 3; ++i) {
      if (!saved[i].requires_grad()) result[i] = Tensor();
    }
    result.resize(5);
    return result;
  }
};

Two kernel_with_gradients(const Tensor& action, const Tensor& weight, const Tensor& delta, Ints plan,
                          double eps) {
  if (!action.device().is_cpu()) return kernel_by_tensors(action, weight, delta, plan, eps);
  if (!served(action)) {
    const auto single = [](const Tensor& t) { return t.to(torch::kFloat); };
    const auto [kernel, bias] = call_kernel(single(action), single(weight), single(delta), plan, eps);
    return {kernel.to(action.scalar_type()), bias.to(action.scalar_type())};
  }
  const variable_list made = KernelFunction::apply(action, weight, delta, plan.vec(), eps);
  return {made[0], made[1]};
}

// ---- the linear layer -------------------------------------------------------------------------------------

// Samples are rows: x (..., in, blades). Samples are columns: x (in * blades / groups, N).
using LinearOperator = Two(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, Ints,
                           double, bool, std::int64_t, double, std::int64_t);
using LinearGradients = Five(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                             const Tensor&, const Tensor&, Ints, double, bool, std::int64_t, double,
                             std::int64_t, bool);

// x as a matrix with the samples as rows or columns.
Tensor as_matrix(const Tensor& x, const Tensor& weight, const Plan& plan, const Samples& samples) {
  const std::int64_t in = weight.size(1), blades = plan.objects();
  if (samples.are_columns) {
    if (samples.groups < 1 || in % samples.groups != 0) {
      throw Error(plan.title("GcaLinear", weight.sizes()) + " has " + std::to_string(in) +
                  " input channels, which are not " + std::to_string(samples.groups) + " groups of as many");
    }
    if (x.dim() != 2 || x.size(0) != in / samples.groups * blades) {
      nn::detail::check_shape(plan.title("GcaLinear", weight.sizes()), x, {in / samples.groups * blades, -1});
    }
    return x;
  }
  if (x.dim() < 2 || x.size(-2) != in || x.size(-1) != blades) {
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(std::max<std::int64_t>(x.dim(), 2)), -1);
    sizes[sizes.size() - 2] = in;
    sizes[sizes.size() - 1] = blades;
    nn::detail::check_shape(plan.title("GcaLinear", weight.sizes()), x, sizes);
  }
  return x.reshape({-1, in * blades});
}

std::vector<c10::SymInt> result_sizes(const Tensor& x, const Tensor& weight, const Plan& plan,
                                      const Samples& samples) {
  std::vector<c10::SymInt> sizes = x.sym_sizes().vec();
  if (samples.are_columns) {
    sizes[0] = weight.sym_size(0) * plan.objects() * samples.groups;
  } else {
    sizes[sizes.size() - 2] = weight.sym_size(0);
  }
  return sizes;
}

// The layer as a product with its kernel, for any device and type.
Two linear_with_kernel(const Tensor& x, const Tensor& action, const Tensor& weight, const Tensor& delta,
                       const Tensor& bias, Ints numbers, double eps, const Samples& samples) {
  const Plan plan(numbers);
  const auto [kernel, shift] = call_kernel(action, weight, delta, numbers, eps);
  AssembledKernel made{kernel.to(x.scalar_type()), or_none(shift)};
  if (bias.numel() > 0) made.bias = made.bias.defined() ? made.bias + bias.flatten() : bias.flatten();
  if (made.bias.defined()) made.bias = made.bias.to(x.scalar_type());
  const Tensor y = nn::detail::differentiable_affine(as_matrix(x, weight, plan, samples), made, samples);
  return {y.reshape_symint(result_sizes(x, weight, plan, samples)), kernel};
}

Two linear_by_tensors(const Tensor& x, const Tensor& action, const Tensor& weight, const Tensor& delta,
                      const Tensor& bias, Ints plan, double eps, bool columns, std::int64_t biased,
                      double bias_weight, std::int64_t groups) {
  const auto [y, kernel] = linear_with_kernel(x, action, weight, delta, bias, plan, eps,
                                              Samples{columns, biased, bias_weight, groups});
  return {y.contiguous(), kernel};
}

Two linear_on_cpu(const Tensor& x, const Tensor& action, const Tensor& weight, const Tensor& delta,
                  const Tensor& bias, Ints numbers, double eps, bool columns, std::int64_t biased,
                  double bias_weight, std::int64_t groups) {
  const Samples samples{columns, biased, bias_weight, groups};
  if (!nn::detail::can_fuse(x, action)) {
    return linear_by_tensors(x, action, weight, delta, bias, numbers, eps, columns, biased, bias_weight,
                             groups);
  }
  const Plan plan(numbers);
  const variable_list inputs = {as_matrix(x, weight, plan, samples).contiguous(), action.contiguous(),
                                weight.contiguous(), delta.contiguous(), bias.contiguous()};
  const auto made = nn::detail::linear_forward(*kernel_of(numbers, eps, weight.sizes()), inputs, samples);
  return {made.y.view_symint(result_sizes(x, weight, plan, samples)), made.kernel};
}

Two linear_shapes(const Tensor& x, const Tensor& action, const Tensor& weight, const Tensor& /*delta*/,
                  const Tensor& /*bias*/, Ints numbers, double /*eps*/, bool columns, std::int64_t biased,
                  double bias_weight, std::int64_t groups) {
  const Plan plan(numbers);
  const Tensor y =
      x.new_empty_symint(result_sizes(x, weight, plan, Samples{columns, biased, bias_weight, groups}));
  return {
      y, action.new_empty_symint({weight.sym_size(0) * plan.objects(), weight.sym_size(1) * plan.objects()})};
}

// Without fusion: the gradients of the product, then those of the kernel.
Five linear_gradients_by_kernel(const Tensor& grad, const Tensor& x, const Tensor& kernel,
                                const variable_list& parameters, const nn::detail::ActionKernel& self,
                                const Samples& samples) {
  const Tensor &delta = parameters[2], &bias = parameters[3];
  const std::int64_t sample_dimension = samples.are_columns ? 1 : 0;
  const auto rows = [&](const Tensor& t) { return samples.are_columns ? t.t() : t; };  // samples first
  const Tensor g = rows(grad), features = rows(x);
  const Tensor parts = kernel.view({-1, kernel.size(1) / samples.groups});  // see nn/detail/linear_function
  const Tensor kernel_grads = g.t().mm(features).reshape(kernel.sizes());
  const Tensor x_grads = rows(g.mm(parts)).contiguous();
  const std::int64_t biased = std::min(samples.biased, grad.size(sample_dimension));
  const Tensor shifts =
      g.narrow(0, 0, biased).sum(0).view({-1, samples.groups}).select(1, 0) * samples.bias_weight;
  const variable_list found = nn::detail::assemble_backward(self, {parameters[0], parameters[1], delta},
                                                            kernel_grads, shifts.contiguous());
  return {x_grads, found[0], found[1], found[2].defined() ? found[2] : torch::zeros_like(delta),
          bias.numel() > 0 ? shifts.contiguous().view(bias.sizes()) : torch::zeros_like(bias)};
}

Five linear_gradients_on_cpu(const Tensor& grad, const Tensor& x, const Tensor& action, const Tensor& weight,
                             const Tensor& delta, const Tensor& bias, const Tensor& kernel, Ints numbers,
                             double eps, bool columns, std::int64_t biased, double bias_weight,
                             std::int64_t groups, bool x_wants) {
  const Samples samples{columns, biased, bias_weight, groups};
  const Plan plan(numbers);
  const auto self = kernel_of(numbers, eps, weight.sizes());
  const Tensor matrix = as_matrix(x, weight, plan, samples).contiguous();
  const Tensor grads =
      columns ? grad.contiguous() : grad.reshape({-1, weight.size(0) * plan.objects()}).contiguous();
  if (!nn::detail::can_fuse(x, action)) {
    auto found =
        linear_gradients_by_kernel(grads, matrix, kernel, {action, weight, delta, bias}, *self, samples);
    std::get<0>(found) = std::get<0>(found).view(x.sizes());
    return found;
  }
  const variable_list found = nn::detail::linear_backward(
      *self,
      {matrix, action.contiguous(), weight.contiguous(), delta.contiguous(), bias.contiguous(), kernel},
      samples, grads, x_wants);
  const auto given = [](const Tensor& t, const Tensor& like) {
    return t.defined() ? t.reshape(like.sizes()) : torch::zeros_like(like);
  };
  return {x_wants ? found[0].view(x.sizes()) : empty_like_none(x), found[1], found[2], given(found[3], delta),
          given(found[4], bias)};
}

Five linear_gradient_shapes(const Tensor& /*grad*/, const Tensor& x, const Tensor& action,
                            const Tensor& weight, const Tensor& delta, const Tensor& bias,
                            const Tensor& /*kernel*/, Ints /*plan*/, double /*eps*/, bool /*columns*/,
                            std::int64_t /*biased*/, double /*bias_weight*/, std::int64_t /*groups*/,
                            bool x_wants) {
  return {x_wants ? torch::empty_like(x, torch::MemoryFormat::Contiguous) : x.new_empty({0}),
          torch::empty_like(action), torch::empty_like(weight), torch::empty_like(delta),
          torch::empty_like(bias)};
}

Two linear_with_gradients(const Tensor& x, const Tensor& action, const Tensor& weight, const Tensor& delta,
                          const Tensor& bias, Ints numbers, double eps, bool columns, std::int64_t biased,
                          double bias_weight, std::int64_t groups) {
  if (!served(x) || !served(action) || x.scalar_type() != action.scalar_type()) {
    if (x.scalar_type() != action.scalar_type() && served(x)) {
      throw Error(Plan(numbers).title("GcaLinear", weight.sizes()) + " got a tensor of " +
                  std::string(x.dtype().name()) + ", but its parameters are " +
                  std::string(action.dtype().name()) + ": convert one of them with to()");
    }
    return linear_by_tensors(x, action, weight, delta, bias, numbers, eps, columns, biased, bias_weight,
                             groups);
  }
  const Samples samples{columns, biased, bias_weight, groups};
  auto function = c10::make_intrusive<Differentiable>();
  const std::vector<std::int64_t> plan = numbers.vec();
  function->forward = [=](const variable_list& in) -> variable_list {
    static const auto handle = operator_named<LinearOperator>("gcan::action_linear");
    const auto [y, kernel] = handle.call(in[0], in[1], in[2], in[3], in[4], plan, eps, samples.are_columns,
                                         samples.biased, samples.bias_weight, samples.groups);
    return {y, kernel};
  };
  function->backward = [=](const Tensor& grad, const variable_list& s,
                           const std::vector<bool>& wanted) -> variable_list {
    static const auto handle = operator_named<LinearGradients>("gcan::action_linear_backward");
    const auto [dx, action_grads, weight_grads, delta_grads, bias_grads] =
        handle.call(grad, s[0], s[1], s[2], s[3], s[4], s[5], plan, eps, samples.are_columns, samples.biased,
                    samples.bias_weight, samples.groups, wanted[0]);
    return {dx, action_grads, weight_grads, delta_grads, bias_grads};
  };
  function->by_tensors = [=](const variable_list& in) {
    return std::get<0>(linear_with_kernel(in[0], in[1], in[2], in[3], in[4], plan, eps, samples));
  };
  const variable_list made = apply(std::move(function), {x, action, weight, delta, bias});
  return {made[0], made[1]};
}

Two linear_in_reduced_precision(const Tensor& x, const Tensor& action, const Tensor& weight,
                                const Tensor& delta, const Tensor& bias, Ints plan, double eps, bool columns,
                                std::int64_t biased, double bias_weight, std::int64_t groups) {
  const c10::impl::ExcludeDispatchKeyGuard below(kAutocastKeys);
  static const auto handle = operator_named<LinearOperator>("gcan::action_linear");
  return handle.call(reduced(x), action, weight, delta, bias, plan, eps, columns, biased, bias_weight,
                     groups);
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(gcan, library) {
  library.def(
      "action_kernel(Tensor action, Tensor weight, Tensor delta, int[] plan, float eps) -> (Tensor kernel, "
      "Tensor "
      "bias)");
  library.def(
      "action_kernel_backward(Tensor kernel_grad, Tensor bias_grad, Tensor action, Tensor weight, Tensor "
      "delta, int[] "
      "plan, float eps) -> (Tensor, Tensor, Tensor)");
  library.def(
      "action_linear(Tensor x, Tensor action, Tensor weight, Tensor delta, Tensor bias, int[] plan, float "
      "eps, bool "
      "columns=False, int biased=9223372036854775807, float bias_weight=1.0, int groups=1) -> (Tensor y, "
      "Tensor "
      "kernel)");
  library.def(
      "action_linear_backward(Tensor grad, Tensor x, Tensor action, Tensor weight, Tensor delta, Tensor "
      "bias, Tensor "
      "kernel, int[] plan, float eps, bool columns, int biased, float bias_weight, int groups, bool x_wants) "
      "-> "
      "(Tensor, Tensor, Tensor, Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(gcan, CPU, library) {
  library.impl("action_kernel", kernel_on_cpu);
  library.impl("action_kernel_backward", kernel_gradients_on_cpu);
  library.impl("action_linear", linear_on_cpu);
  library.impl("action_linear_backward", linear_gradients_on_cpu);
}

TORCH_LIBRARY_IMPL(gcan, Meta, library) {
  library.impl("action_kernel", kernel_shapes);
  library.impl("action_kernel_backward", kernel_gradient_shapes);
  library.impl("action_linear", linear_shapes);
  library.impl("action_linear_backward", linear_gradient_shapes);
}

TORCH_LIBRARY_IMPL(gcan, CompositeExplicitAutograd, library) {
  library.impl("action_kernel", kernel_by_tensors);
  library.impl("action_linear", linear_by_tensors);
}

TORCH_LIBRARY_IMPL(gcan, Autograd, library) {
  library.impl("action_kernel", kernel_with_gradients);
  library.impl("action_linear", linear_with_gradients);
}

TORCH_LIBRARY_IMPL(gcan, AutocastCPU, library) { library.impl("action_linear", linear_in_reduced_precision); }
TORCH_LIBRARY_IMPL(gcan, AutocastCUDA, library) {
  library.impl("action_linear", linear_in_reduced_precision);
}

}  // namespace gcan::operators
