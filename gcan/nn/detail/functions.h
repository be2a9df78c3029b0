#pragma once

// What the layers compute, forward and backward, without autograd: float and double on the CPU. Two callers
// make them differentiable: the modules of this folder by autograd functions of their own, and the operators
// of libgcan_torch (gcan/operators), whose backward passes are operators too. Each function is in the source
// file of its layer.

#include <array>
#include <string>

#include "gcan/nn/detail/action_kernel.h"
#include "gcan/nn/detail/convolution.h"
#include "gcan/nn/detail/cpu_convolution.h"
#include "gcan/nn/detail/linear_function.h"
#include "gcan/nn/detail/norm_function.h"

namespace gcan::nn::detail {

using torch::autograd::variable_list;

// The kernel of a group action layer; the bias is empty without constants. Error when a parameter is not
// finite.
AssembledKernel assemble_forward(const ActionKernel& self, const torch::Tensor& action,
                                 const torch::Tensor& weight, const torch::Tensor& delta);
// Gradients of {action, weight, delta}; that of delta is undefined without constants or bias grads.
variable_list assemble_backward(const ActionKernel& self, variable_list parameters,
                                const torch::Tensor& kernel_grads, const torch::Tensor& bias_grads);

// The linear layer where can_fuse() says so; `inputs` are {x, action, weight, delta, bias}, contiguous, delta
// and bias empty where there is none.
struct LinearResult {
  torch::Tensor y, kernel;
};
LinearResult linear_forward(const ActionKernel& self, const variable_list& inputs, const Samples& samples);
// `saved` are the inputs and the kernel; gradients of the inputs, undefined where there is no input or no
// wish.
variable_list linear_backward(const ActionKernel& self, const variable_list& saved, const Samples& samples,
                              const torch::Tensor& grads, bool x_wants);

// MSiLU on x (N, channels, blades, positions); gradients of {x, weight, bias}.
torch::Tensor gate_forward(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                           const Grades& parts);
variable_list gate_backward(const torch::Tensor& grad, const torch::Tensor& input,
                            const torch::Tensor& weight, const torch::Tensor& bias, const Grades& parts);

// GcaNorm, with MSiLU behind it where the tensors have a gate; x is contiguous. Gradients of {x, weight,
// bias, gate weight, gate bias}.
struct NormResult {
  torch::Tensor y, mean, inverse;
};
NormResult norm_forward(const torch::Tensor& x, const NormTensors& tensors, const NormSettings& settings,
                        const Grades& gate);
variable_list norm_backward(const torch::Tensor& dy, const torch::Tensor& x, const NormTensors& tensors,
                            const NormResult& made, const NormSettings& settings, const Grades& gate);

// Gradients of the convolution's input, kernel and bias; undefined where not wanted. The way is that of the
// way forward, which is convolve_with().
std::array<torch::Tensor, 3> convolution_backward(const std::string& layer, const torch::Tensor& grad,
                                                  const torch::Tensor& x, const ConvolutionSettings& settings,
                                                  const AssembledKernel& made, ConvolutionWay way,
                                                  std::array<bool, 3> wanted);

}  // namespace gcan::nn::detail
