#pragma once

// What the layers compute, forward and backward, without autograd, for float and double on the CPU. Two
// callers make it differentiable: the modules in this folder with autograd functions, and the operators of
// libgcan_torch (gcan/operators), whose backward passes are operators too. Each function is in its layer's
// source file.

#include <array>
#include <string>

#include "gcan/nn/detail/action_kernel.h"
#include "gcan/nn/detail/convolution.h"
#include "gcan/nn/detail/cpu_convolution.h"
#include "gcan/nn/detail/linear_function.h"
#include "gcan/nn/detail/norm_function.h"

namespace gcan::nn::detail {

using torch::autograd::variable_list;

// The kernel of a group action layer; the bias is empty without constants. Error if a parameter is not
// finite.
AssembledKernel assemble_forward(const ActionKernel& self, const torch::Tensor& action,
                                 const torch::Tensor& weight, const torch::Tensor& delta);
// Gradients of {action, weight, delta}; delta's is undefined without constants or bias gradients.
variable_list assemble_backward(const ActionKernel& self, variable_list parameters,
                                const torch::Tensor& kernel_grads, const torch::Tensor& bias_grads);

// The linear layer, if can_fuse(). `inputs` are {x, action, weight, delta, bias}, contiguous; delta and
// bias may be empty.
struct LinearResult {
  torch::Tensor y, kernel;
};
LinearResult linear_forward(const ActionKernel& self, const variable_list& inputs, const Samples& samples);
// `saved` are the inputs and the kernel. Gradients of the inputs; undefined for empty inputs and where not
// needed.
variable_list linear_backward(const ActionKernel& self, const variable_list& saved, const Samples& samples,
                              const torch::Tensor& grads, bool x_wants);

// MSiLU on x (N, channels, blades, positions); gradients of {x, weight, bias}.
torch::Tensor gate_forward(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                           const Grades& parts);
variable_list gate_backward(const torch::Tensor& grad, const torch::Tensor& input,
                            const torch::Tensor& weight, const torch::Tensor& bias, const Grades& parts);

// GcaNorm, followed by MSiLU if the tensors include a gate; x is contiguous. Gradients of {x, weight, bias,
// gate weight, gate bias}.
struct NormResult {
  torch::Tensor y, mean, inverse;
};
NormResult norm_forward(const torch::Tensor& x, const NormTensors& tensors, const NormSettings& settings,
                        const Grades& gate);
variable_list norm_backward(const torch::Tensor& dy, const torch::Tensor& x, const NormTensors& tensors,
                            const NormResult& made, const NormSettings& settings, const Grades& gate);

// Gradients of the convolution's input, kernel and bias; undefined where not needed. `way` is the forward
// pass's, which is convolve_with().
std::array<torch::Tensor, 3> convolution_backward(const std::string& layer, const torch::Tensor& grad,
                                                  const torch::Tensor& x, const ConvolutionSettings& settings,
                                                  const AssembledKernel& made, ConvolutionWay way,
                                                  std::array<bool, 3> wanted);

}  // namespace gcan::nn::detail
