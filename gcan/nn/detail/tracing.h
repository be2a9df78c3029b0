#pragma once

#include <ATen/TracerMode.h>

namespace gcan::nn::detail {

// Whether the tensor operations are being recorded (an export to TorchScript or ONNX): layers then
// compute by these alone, because a recorder does not see our own kernels.
inline bool is_traced() { return at::tracer::impl::is_dispatch_enabled(); }

}  // namespace gcan::nn::detail
