#pragma once

// Combines an operator and the operator of its gradients into one differentiable function, for the dispatch
// key Autograd.

#include <ATen/core/dispatch/Dispatcher.h>

#include <functional>

#include "gcan/torch.h"

namespace gcan::operators {

using torch::Tensor;
using torch::autograd::variable_list;

// Missing inputs are empty tensors, because autograd functions of LibTorch 1.13 do not accept undefined ones.
struct Differentiable : torch::CustomClassHolder {
  // Calls the operator. Outputs after the first have no gradient; they are saved for `backward`.
  std::function<variable_list(const variable_list& inputs)> forward;
  // Calls the operator of the gradients. `saved` contains the inputs and the saved outputs, `wanted` whether
  // the gradient of each input is used; unused gradients may be anything.
  std::function<variable_list(const Tensor& grad, const variable_list& saved,
                              const std::vector<bool>& wanted)>
      backward;
  // The first output by tensor operations, for second derivatives.
  std::function<Tensor(const variable_list& inputs)> by_tensors;
};

// The outputs of forward, with gradients if an input requires them.
variable_list apply(c10::intrusive_ptr<Differentiable> function, const variable_list& inputs);

// An operator as a C++ function; look it up once and keep it.
template <class Signature>
auto operator_named(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

// The tensor, or an empty one of the same kind as `like`.
inline Tensor or_empty(const c10::optional<Tensor>& tensor, const Tensor& like) {
  return tensor && tensor->defined() ? *tensor : torch::empty({0}, like.options().requires_grad(false));
}
// The reverse.
inline Tensor or_none(const Tensor& tensor) { return tensor.numel() > 0 ? tensor : Tensor(); }

// Whether the CPU kernels support it: float and double. Everything else uses tensor operations. Does not read
// sizes, which may be symbolic during compilation.
inline bool served(const Tensor& x) {
  return x.device().is_cpu() && (x.scalar_type() == torch::kFloat || x.scalar_type() == torch::kDouble);
}

}  // namespace gcan::operators
