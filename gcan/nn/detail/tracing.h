#pragma once

#include <ATen/TracerMode.h>

namespace gcan::nn::detail {

// Whether tensor operations are being recorded (an export to TorchScript or ONNX). Layers then use only
// tensor operations, because a tracer does not see our kernels.
inline bool is_traced() { return at::tracer::impl::is_dispatch_enabled(); }

}  // namespace gcan::nn::detail
