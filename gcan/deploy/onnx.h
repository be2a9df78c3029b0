#pragma once

#include <torch/csrc/jit/api/module.h>

#include <string>

namespace gcan::deploy {

// A recorded network (trace.h) as the bytes of an ONNX model of operator set 13, for any number of samples:
// input "x", output "y", both float with the number of samples as "samples". What depends on parameters alone
// is computed here and becomes an initializer. Error for an operation that ONNX does not have, such as
// Cholesky's factors in the norms of Clifford networks.
std::string to_onnx(const torch::jit::Module& module, const torch::Tensor& example);

}  // namespace gcan::deploy
