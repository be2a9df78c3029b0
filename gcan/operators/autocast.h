#pragma once

// The behaviour of operators with large products under torch.autocast, like that of LibTorch's layers.

#include "gcan/nn/detail/autocast.h"
#include "gcan/torch.h"

namespace gcan::operators {

inline const c10::DispatchKeySet kAutocastKeys({c10::DispatchKey::AutocastCPU,
                                                c10::DispatchKey::AutocastCUDA});

// A float tensor in the autocast type of its device.
inline torch::Tensor reduced(const torch::Tensor& x) {
  if (x.scalar_type() != torch::kFloat) return x;
  return x.to(nn::detail::autocast_setting(x.device()));
}

}  // namespace gcan::operators
