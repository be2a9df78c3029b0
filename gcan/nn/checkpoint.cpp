#include "gcan/nn/checkpoint.h"

#include "gcan/nn/detail/autocast.h"
#include "gcan/nn/detail/features.h"

namespace gcan::nn {
namespace {

using torch::Tensor;
using torch::autograd::variable_list;
using Function = std::function<Tensor(const Tensor&)>;

struct Call : torch::CustomClassHolder {
  explicit Call(Function f) : function(std::move(f)) {}
  Function function;
  detail::AutocastState autocast;
};

// Inputs: x, then the parameters.
struct Checkpoint : torch::autograd::Function<Checkpoint> {
  static Tensor forward(torch::autograd::AutogradContext* context, torch::TensorList inputs,
                        const c10::intrusive_ptr<Call>& call) {
    context->save_for_backward(inputs.vec());
    context->saved_data["call"] = torch::IValue::make_capsule(call);
    return call->function(inputs[0]);
  }

  static variable_list backward(torch::autograd::AutogradContext* context, const variable_list& grads) {
    const auto call = c10::static_intrusive_pointer_cast<Call>(context->saved_data["call"].toCapsule());
    const detail::AutocastState::Scope as_forward(call->autocast);
    variable_list inputs = context->get_saved_variables();
    const bool again = torch::GradMode::is_enabled();
    const torch::AutoGradMode with_gradients(true);
    // Detached: without second derivatives the graph of x is not needed.
    if (!again) inputs[0] = inputs[0].detach().requires_grad_(inputs[0].requires_grad());
    variable_list result = detail::gradients_of({call->function(inputs[0])}, grads, inputs, again);
    result.emplace_back();
    return result;
  }
};

}  // namespace

Tensor checkpoint(const Function& f, const std::vector<Tensor>& parameters, const Tensor& x) {
  if (!torch::GradMode::is_enabled()) return f(x);
  variable_list inputs{x};
  inputs.insert(inputs.end(), parameters.begin(), parameters.end());
  return Checkpoint::apply(torch::TensorList(inputs), c10::make_intrusive<Call>(f));
}

}  // namespace gcan::nn
