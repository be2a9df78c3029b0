#pragma once

// The CPU kernels' view of features (N, channels, blades, space...).

#include <functional>
#include <string>

#include "gcan/torch.h"

namespace gcan::nn::detail {

struct Features {
  // Flattens space to one dimension; no space dimensions count as one of size 1.
  explicit Features(const torch::Tensor& x);

  std::int64_t samples, channels, blades, space;

  // One row per sample and channel.
  [[nodiscard]] std::size_t rows() const { return static_cast<std::size_t>(samples * channels); }
  // The number of rows that is worth a thread.
  [[nodiscard]] std::size_t grain() const;
};

// x as (N, channels, blades, positions).
torch::Tensor flat_space(const torch::Tensor& x);

// Error unless x is (N, channels, blades, space...) and, on the CPU, of the parameters' type or of reduced
// precision. `name` returns the layer's pretty_print text; `parameter` may be undefined.
void check_features(const std::function<std::string()>& name, const torch::Tensor& x, std::int64_t channels,
                    std::size_t blades, const torch::Tensor& parameter);

// Whether the CPU kernels support x: float and double on the CPU. Anything else uses tensor operations.
bool has_kernel(const torch::Tensor& x);

// The type to compute x in: float for half precision and bfloat16, whose sums are too coarse.
torch::ScalarType compute_type(const torch::Tensor& x);

// The gradients of those inputs that require one, at their positions, given the gradients of the outputs.
torch::autograd::variable_list gradients_of(const torch::autograd::variable_list& outputs,
                                            const torch::autograd::variable_list& grads,
                                            const torch::autograd::variable_list& inputs,
                                            bool differentiable);

// dL/dinput for each input that requires it, by autograd of f. The result is differentiable: hand-written
// backward passes use it for second derivatives.
torch::autograd::variable_list differentiable_gradients(
    const std::function<torch::Tensor(const torch::autograd::variable_list&)>& f,
    const torch::autograd::variable_list& inputs, const torch::Tensor& dy);

}  // namespace gcan::nn::detail
