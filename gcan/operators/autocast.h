#pragma once

// What the operators with large products do under torch.autocast, as LibTorch's own layers do.

#include <ATen/autocast_mode.h>
#include <torch/version.h>

#include "gcan/torch.h"

namespace gcan::operators {

inline const c10::DispatchKeySet kAutocastKeys({c10::DispatchKey::AutocastCPU,
                                                c10::DispatchKey::AutocastCUDA});

// A float tensor in the type that autocast asks for on its device.
inline torch::Tensor reduced(const torch::Tensor& x) {
  if (x.scalar_type() != torch::kFloat) return x;
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  return x.to(at::autocast::get_autocast_dtype(x.device().type()));
#else
  return x.to(x.is_cuda() ? at::autocast::get_autocast_gpu_dtype() : at::autocast::get_autocast_cpu_dtype());
#endif
}

}  // namespace gcan::operators
