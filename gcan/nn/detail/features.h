#pragma once

// Features (N, channels, blades, space...) as the CPU kernels see them.

#include <functional>
#include <string>

#include "gcan/torch.h"

namespace gcan::nn::detail {

struct Features {
  // Any number of space dimensions counts as one of their product; none counts as one of size 1.
  explicit Features(const torch::Tensor& x);

  std::int64_t samples, channels, blades, space;

  // One row per sample and channel.
  [[nodiscard]] std::size_t rows() const { return static_cast<std::size_t>(samples * channels); }
  // Rows that are worth a thread of their own.
  [[nodiscard]] std::size_t grain() const;
};

// x as (N, channels, blades, positions).
torch::Tensor flat_space(const torch::Tensor& x);

// Error unless x is (N, channels, blades, space...), and on the CPU of the parameters' type unless it is of
// reduced precision. `name` gives the layer as its pretty_print shows it; `parameter` may be undefined.
void check_features(const std::function<std::string()>& name, const torch::Tensor& x, std::int64_t channels,
                    std::size_t blades, const torch::Tensor& parameter);

// Whether the CPU kernels take x: float and double on the CPU. All else goes by tensor operations.
bool has_kernel(const torch::Tensor& x);

// The type in which to compute on x: float for half precision and bfloat16, whose sums are too coarse.
torch::ScalarType compute_type(const torch::Tensor& x);

// The gradients of the outputs, given their gradients, for those of the inputs that require one, at their
// places.
torch::autograd::variable_list gradients_of(const torch::autograd::variable_list& outputs,
                                            const torch::autograd::variable_list& grads,
                                            const torch::autograd::variable_list& inputs,
                                            bool differentiable);

// dL/dinput for each input that requires it, by automatic differentiation of f, which stays differentiable:
// the way of a hand-written backward pass to second derivatives.
torch::autograd::variable_list differentiable_gradients(
    const std::function<torch::Tensor(const torch::autograd::variable_list&)>& f,
    const torch::autograd::variable_list& inputs, const torch::Tensor& dy);

}  // namespace gcan::nn::detail
