#pragma once

#include "gcan/nn/detail/tracing.h"

namespace gcan::nn::detail {

// During its lifetime, layers in this thread use only tensor operations, as on devices other than the CPU.
// For comparing these with the kernels.
class TensorPath {
 public:
  TensorPath() { ++depth(); }
  ~TensorPath() { --depth(); }
  TensorPath(const TensorPath&) = delete;
  TensorPath& operator=(const TensorPath&) = delete;

  static bool is_forced() { return depth() > 0; }

 private:
  static int& depth() {
    thread_local int count = 0;
    return count;
  }
};

// Whether to avoid our kernels on any device.
inline bool wants_tensors() { return is_traced() || TensorPath::is_forced(); }

}  // namespace gcan::nn::detail
