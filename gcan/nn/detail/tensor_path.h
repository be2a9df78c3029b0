#pragma once

#include "gcan/nn/detail/tracing.h"

namespace gcan::nn::detail {

// While it lives, layers that this thread calls compute by tensor operations alone, as they do on other
// devices than the CPU: to compare these with the kernels.
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

// Whether our own kernels are out of the question, whatever the device.
inline bool wants_tensors() { return is_traced() || TensorPath::is_forced(); }

}  // namespace gcan::nn::detail
