#include "gcan/nn/detail/action_kernel.h"

#include <ATen/Parallel.h>

#include <map>
#include <numeric>

#include "gcan/base/error.h"
#include "gcan/nn/detail/action_rows.h"
#include "gcan/nn/detail/autocast.h"
#include "gcan/nn/detail/features.h"
#include "gcan/nn/detail/functions.h"
#include "gcan/nn/detail/tensor_path.h"

namespace gcan::nn::detail {
namespace {

using torch::Tensor;
using torch::autograd::variable_list;

// Below this many pairs, another thread costs more than it saves.
constexpr std::int64_t kPairsPerTask = 32768;

std::int64_t task_count(const kernels::PairLayout& layout) {
  const std::int64_t worthwhile = std::max<std::int64_t>(1, layout.pairs() / kPairsPerTask);
  return std::min({worthwhile, static_cast<std::int64_t>(at::get_num_threads()), layout.rows});
}

template <class T>
void assemble_rows(const ActionKernel& self, const Tensor& action, const Tensor& weight, const Tensor& delta,
                   const Tensor& kernel, const Tensor& bias) {
  const auto in = sandwich_inputs<T>(self, action, weight, delta);
  const kernels::SandwichOutputs<T> out{kernel.data_ptr<T>(), in.delta ? bias.data_ptr<T>() : nullptr};
  const std::int64_t tasks = task_count(self.layout());
  std::vector<char> finite(static_cast<std::size_t>(tasks));
  for_row_ranges(self.layout().rows, tasks, [&](std::int64_t t, std::int64_t first, std::int64_t last) {
    finite[static_cast<std::size_t>(t)] = kernels::assemble_sandwich(in, out, first, last) ? 1 : 0;
  });
  check_finite(finite);
}

template <class T>
variable_list differentiate_rows(const ActionKernel& self, const variable_list& parameters,
                                 const Tensor& kernel_grads, const Tensor& bias_grads) {
  const auto in = sandwich_inputs<T>(self, parameters[0], parameters[1], parameters[2]);
  const Tensor action = torch::empty_like(parameters[0]);
  const Tensor weight = torch::empty_like(parameters[1]);
  const bool with_bias = in.delta && bias_grads.defined();
  const std::int64_t tasks = task_count(self.layout());
  Tensor deltas;
  if (with_bias) deltas = torch::zeros({tasks, parameters[2].numel()}, parameters[2].options());
  for_row_ranges(self.layout().rows, tasks, [&](std::int64_t t, std::int64_t first, std::int64_t last) {
    const kernels::SandwichGradients<T> gradients{
        kernel_grads.data_ptr<T>(), with_bias ? bias_grads.data_ptr<T>() : nullptr, action.data_ptr<T>(),
        weight.data_ptr<T>(), with_bias ? deltas.data_ptr<T>() + t * parameters[2].numel() : nullptr};
    kernels::sandwich_gradient(in, gradients, first, last);
  });
  Tensor delta;
  if (with_bias) delta = tasks == 1 ? deltas.view_as(parameters[2]) : deltas.sum(0).view_as(parameters[2]);
  return {action, weight, delta};
}

// The gradients as differentiable tensor operations, for second derivatives.
variable_list differentiable_gradients(const ActionKernel& self, const variable_list& parameters,
                                       const Tensor& kernel_grads, const Tensor& bias_grads) {
  const AssembledKernel assembled = self.assemble_by_tensors(parameters[0], parameters[1], parameters[2]);
  variable_list outputs{assembled.kernel}, grads{kernel_grads};
  if (assembled.bias.defined() && bias_grads.defined()) {
    outputs.push_back(assembled.bias);
    grads.push_back(bias_grads);
  }
  return gradients_of(outputs, grads, parameters, true);
}

struct Assemble : torch::autograd::Function<Assemble> {
  static variable_list forward(torch::autograd::AutogradContext* context, const Tensor& action,
                               const Tensor& weight, const Tensor& delta, const ActionKernelPtr& self) {
    context->save_for_backward({action, weight, delta});
    context->saved_data["kernel"] = torch::IValue::make_capsule(self);
    const AssembledKernel made = assemble_forward(*self, action, weight, delta);
    return {made.kernel, made.bias};
  }

  static variable_list backward(torch::autograd::AutogradContext* context, variable_list grads) {
    variable_list parameters = context->get_saved_variables();
    const auto self =
        c10::static_intrusive_pointer_cast<ActionKernel>(context->saved_data["kernel"].toCapsule());
    if (!grads[0].defined()) grads[0] = torch::zeros(self->kernel_sizes(), parameters[0].options());
    variable_list gradients;
    if (torch::GradMode::is_enabled()) {
      gradients = differentiable_gradients(*self, parameters, grads[0], grads[1]);
    } else {
      gradients = assemble_backward(*self, parameters, grads[0], grads[1]);
    }
    gradients.emplace_back();
    return gradients;
  }
};

}  // namespace

AssembledKernel assemble_forward(const ActionKernel& self, const Tensor& action, const Tensor& weight,
                                 const Tensor& delta) {
  const Tensor kernel = torch::empty(self.kernel_sizes(), action.options());
  const auto outputs = static_cast<std::int64_t>(self.plan().blades().outputs.size());
  const Tensor bias = torch::empty({delta.numel() > 0 ? self.layout().rows * outputs : 0}, action.options());
  const bool single = action.scalar_type() == torch::kFloat;
  (single ? assemble_rows<float> : assemble_rows<double>)(self, action.contiguous(), weight.contiguous(),
                                                          delta.contiguous(), kernel, bias);
  return {kernel, bias};
}

variable_list assemble_backward(const ActionKernel& self, variable_list parameters,
                                const Tensor& kernel_grads, const Tensor& bias_grads) {
  for (Tensor& p : parameters) p = p.contiguous();
  const bool single = parameters[0].scalar_type() == torch::kFloat;
  return (single ? differentiate_rows<float>
                 : differentiate_rows<double>)(self, parameters, kernel_grads.contiguous(),
                                               bias_grads.defined() ? bias_grads.contiguous() : Tensor());
}

ActionKernel::ActionKernel(SandwichPlan plan, kernels::PairLayout layout, kernels::ActionInverse inverse,
                           std::vector<std::int64_t> kernel_size)
    : plan_(std::move(plan)), layout_(layout), inverse_(inverse), kernel_size_(std::move(kernel_size)) {
  const auto inputs = static_cast<int>(plan_.blades().inputs.size());
  const auto outputs = static_cast<int>(plan_.blades().outputs.size());
  const auto constants = static_cast<int>(plan_.blades().constants.size());
  std::map<std::pair<int, int>, std::int64_t> product;
  std::vector<std::int64_t> left, right;
  for (const auto* terms : {&plan_.terms(), &plan_.constant_terms()}) {
    for (const SandwichTerm& t : *terms) {
      if (!product.try_emplace({t.left, t.right}, static_cast<std::int64_t>(left.size())).second) continue;
      left.push_back(t.left);
      right.push_back(t.right);
    }
  }
  const BesideModes beside;
  left_ = DeviceTensor(torch::tensor(left, torch::kLong));
  right_ = DeviceTensor(torch::tensor(right, torch::kLong));
  const auto rows = outputs * (inputs + constants);
  const Tensor coefficients = torch::zeros({rows, static_cast<std::int64_t>(left.size())}, torch::kDouble);
  auto entries = coefficients.accessor<double, 2>();
  for (const SandwichTerm& t : plan_.terms()) {
    entries[t.output * inputs + t.input][product[{t.left, t.right}]] = t.coefficient;
  }
  for (const SandwichTerm& t : plan_.constant_terms()) {
    entries[outputs * inputs + t.output * constants + t.input][product[{t.left, t.right}]] = t.coefficient;
  }
  coefficients_ = DeviceTensor(coefficients);
  Tensor identity = torch::zeros({rows, 1}, torch::kDouble);
  for (int e = 0; e < outputs * inputs; ++e) {
    const auto y = static_cast<std::size_t>(e / inputs), x = static_cast<std::size_t>(e % inputs);
    if (plan_.blades().outputs[y] == plan_.blades().inputs[x]) identity[e] = 1;
  }
  identity_ = DeviceTensor(identity);
  norm_signs_ = DeviceTensor(torch::tensor(plan_.norm_signs(), torch::kDouble).unsqueeze(1));
}

std::vector<std::int64_t> ActionKernel::kernel_sizes() const {
  auto inner = static_cast<std::int64_t>(plan_.blades().inputs.size());
  auto outer = static_cast<std::int64_t>(plan_.blades().outputs.size());
  if (layout_.transposed_blocks) std::swap(inner, outer);
  std::vector<std::int64_t> sizes{layout_.rows * outer, layout_.columns * inner};
  sizes.insert(sizes.end(), kernel_size_.begin(), kernel_size_.end());
  return sizes;
}

AssembledKernel assemble(const ActionKernelPtr& self, const Tensor& action, const Tensor& weight,
                         const Tensor& delta) {
  if (!action.device().is_cpu() || wants_tensors()) {
    return self->assemble_by_tensors(action, weight, delta);
  }
  if (action.scalar_type() != torch::kFloat && action.scalar_type() != torch::kDouble) {
    // Half precision assembles in float: its products are too coarse.
    const AssembledKernel single =
        assemble(self, action.to(torch::kFloat), weight.to(torch::kFloat), delta.to(torch::kFloat));
    const auto type = action.scalar_type();
    return {single.kernel.to(type), single.bias.defined() ? single.bias.to(type) : Tensor()};
  }
  const variable_list outputs = Assemble::apply(action, weight, delta, self);
  return {outputs[0], delta.numel() > 0 ? outputs[1] : Tensor()};
}

AssembledKernel ActionKernel::assemble_by_tensors(const Tensor& action, const Tensor& weight,
                                                  const Tensor& delta) const {
  const auto inputs = static_cast<std::int64_t>(plan_.blades().inputs.size());
  const auto outputs = static_cast<std::int64_t>(plan_.blades().outputs.size());
  const NoAutocast in_float;
  const Tensor a = action.flatten(1);
  const torch::Device device = a.device();
  const auto type = a.scalar_type();
  const Tensor products = a.index_select(0, left_.on(device)) * a.index_select(0, right_.on(device));
  Tensor scale = weight.flatten();
  Tensor entries = coefficients_.on(device, type).matmul(products);
  if (inverse_.kind != Inverse::reverse) {
    const Tensor norm = (norm_signs_.on(device, type) * a * a).sum(0);
    const Tensor shift = torch::copysign(
        torch::full_like(norm, used_epsilon(inverse_.kind, inverse_.epsilon)).detach(), norm.detach());
    if (inverse_.kind == Inverse::regularized) entries = entries + identity_.on(device, type) * shift;
    scale = scale / (norm + shift);
  }
  entries = entries * scale;
  const Tensor blocks = entries.narrow(0, 0, outputs * inputs)
                            .view({outputs, inputs, layout_.rows, layout_.columns, layout_.positions});
  const Tensor kernel = blocks
                            .permute(layout_.transposed_blocks ? torch::IntArrayRef{2, 1, 3, 0, 4}
                                                               : torch::IntArrayRef{2, 0, 3, 1, 4})
                            .reshape(kernel_sizes());
  if (delta.numel() == 0) return {kernel, Tensor()};
  const std::int64_t constants = delta.size(1), groups = layout_.groups;
  const Tensor shifts =
      entries.narrow(0, outputs * inputs, outputs * constants)
          .view({outputs, constants, groups, layout_.rows / groups, layout_.columns, layout_.positions});
  const Tensor bias =
      torch::einsum("ycgrip,gic->gry", {shifts, delta.view({groups, layout_.columns, constants})});
  return {kernel, bias.reshape({-1})};
}

bool KernelCache::fits(const std::vector<Tensor>& parameters) const {
  if (!kept_.kernel.defined() || parameters.size() != parameters_.size()) return false;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].defined() != parameters_[i].defined()) return false;
    if (!parameters[i].defined()) continue;
    const bool same = parameters[i].data_ptr() == parameters_[i].data_ptr() &&
                      parameters[i].scalar_type() == parameters_[i].scalar_type() &&
                      parameters[i].is_alias_of(parameters_[i]) && parameters[i]._version() == versions_[i];
    if (!same) return false;
  }
  return true;
}

void KernelCache::remember(const std::vector<Tensor>& parameters, const AssembledKernel& made) {
  kept_ = {};
  parameters_.clear();
  versions_.clear();
  for (const Tensor& p : parameters) {
    // Tensors created in inference mode have no version counter, so their results are not cached.
    if (p.defined() && p.is_inference()) return;
    parameters_.push_back(p.defined() ? p.detach() : p);
    versions_.push_back(p.defined() ? p._version() : 0);
  }
  kept_ = made;
}

void KernelCache::forget() {
  const std::lock_guard lock(mutex_);
  kept_ = {};
  parameters_.clear();
  versions_.clear();
}

}  // namespace gcan::nn::detail
