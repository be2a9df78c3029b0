#pragma once

#include <torch/csrc/jit/api/module.h>

#include <string>

namespace gcan::deploy {

// Converts a traced network (trace.h) to the bytes of an ONNX model with operator set 13, for any number of
// samples: input "x" and output "y", both float, with a first dimension "samples". Expressions of parameters
// only are folded into initializers. Error for an operation that ONNX does not have.
std::string to_onnx(const torch::jit::Module& module, const torch::Tensor& example);

}  // namespace gcan::deploy
