#include "gcan/operators/differentiable.h"

#include <ATen/core/LegacyTypeDispatch.h>

#include <algorithm>

#include "gcan/nn/detail/features.h"

namespace gcan::operators {
namespace {

using Pointer = c10::intrusive_ptr<Differentiable>;

variable_list call_below_autograd(const Differentiable& function, const variable_list& inputs) {
  const at::AutoDispatchBelowADInplaceOrView below;
  return function.forward(inputs);
}

struct ByOperators : torch::autograd::Function<ByOperators> {
  static variable_list forward(torch::autograd::AutogradContext* context, torch::TensorList inputs,
                               const Pointer& function) {
    variable_list outputs = call_below_autograd(*function, inputs.vec());
    variable_list saved = inputs.vec();
    saved.insert(saved.end(), outputs.begin() + 1, outputs.end());
    context->save_for_backward(saved);
    context->saved_data["inputs"] = static_cast<std::int64_t>(inputs.size());
    context->saved_data["function"] = torch::IValue::make_capsule(function);
    context->mark_non_differentiable({outputs.begin() + 1, outputs.end()});
    return outputs;
  }

  static variable_list backward(torch::autograd::AutogradContext* context, const variable_list& grads) {
    const auto function =
        c10::static_intrusive_pointer_cast<Differentiable>(context->saved_data["function"].toCapsule());
    const variable_list saved = context->get_saved_variables();
    const auto count = static_cast<std::size_t>(context->saved_data["inputs"].toInt());
    const variable_list inputs(saved.begin(), saved.begin() + static_cast<std::ptrdiff_t>(count));
    std::vector<bool> wanted;
    for (const Tensor& input : inputs) wanted.push_back(input.requires_grad());
    variable_list result;
    if (torch::GradMode::is_enabled()) {
      result = nn::detail::differentiable_gradients(function->by_tensors, inputs, grads[0]);
    } else {
      result = function->backward(grads[0], saved, wanted);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (!wanted[i]) result[i] = Tensor();
    }
    result.resize(count + 1);
    return result;
  }
};

}  // namespace

variable_list apply(Pointer function, const variable_list& inputs) {
  const bool wanted =
      torch::GradMode::is_enabled() &&
      std::any_of(inputs.begin(), inputs.end(), [](const Tensor& t) { return t.requires_grad(); });
  if (!wanted) return call_below_autograd(*function, inputs);
  return ByOperators::apply(torch::TensorList(inputs), std::move(function));
}

}  // namespace gcan::operators
