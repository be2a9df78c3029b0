#pragma once

// How an operator and the operator of its gradients become one differentiable function, for the dispatch key
// Autograd.

#include <ATen/core/dispatch/Dispatcher.h>

#include <functional>

#include "gcan/torch.h"

namespace gcan::operators {

using torch::Tensor;
using torch::autograd::variable_list;

// Inputs that are missing are empty tensors: an autograd function of LibTorch 1.13 takes no undefined ones.
struct Differentiable : torch::CustomClassHolder {
  // Calls the operator. Its outputs after the first have no gradient; they are kept for `backward`.
  std::function<variable_list(const variable_list& inputs)> forward;
  // Calls the operator of the gradients. `saved` are the inputs and the kept outputs, `wanted` tells of each
  // input whether its gradient is used; the others' may be anything.
  std::function<variable_list(const Tensor& grad, const variable_list& saved,
                              const std::vector<bool>& wanted)>
      backward;
  // The first output by tensor operations, for derivatives of the gradients.
  std::function<Tensor(const variable_list& inputs)> by_tensors;
};

// The outputs of forward, with gradients where an input wants them.
variable_list apply(c10::intrusive_ptr<Differentiable> function, const variable_list& inputs);

// An operator as a function of C++; keep the answer.
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

// Whether the CPU's kernels serve it: float and double. All else goes by tensor operations. Asks for no
// sizes, which may be symbols while a program is compiled.
inline bool served(const Tensor& x) {
  return x.device().is_cpu() && (x.scalar_type() == torch::kFloat || x.scalar_type() == torch::kDouble);
}

}  // namespace gcan::operators
