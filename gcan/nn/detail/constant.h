#pragma once

// Tensors of numbers that the code knows. While PyTorch compiles or exports a program, its modes answer the
// making of a tensor with one that has no memory to fill, so that torch::tensor() fails there. These are made
// beside the modes, as Python's torch.tensor() does it, and handed to them as constants.

#include "gcan/torch.h"

namespace gcan::nn::detail {

// Keeps the modes of Python, functorch and functionalization out of what its scope calls: tensors made there
// have memory. For tensors that stay when the modes are gone; give them to `for_modes` where they are used.
class BesideModes {
 private:
  c10::impl::ExcludeDispatchKeyGuard guard_{
      c10::DispatchKeySet{c10::DispatchKey::Python, c10::DispatchKey::PythonTLSSnapshot,
                          c10::DispatchKey::FuncTorchDynamicLayerFrontMode,
                          c10::DispatchKey::FuncTorchDynamicLayerBackMode, c10::DispatchKey::Functionalize}};
};

// The tensor as the active modes want it: itself where there is none. It must not be written to.
inline torch::Tensor for_modes(const torch::Tensor& made) {
  const at::tracer::impl::NoTracerDispatchMode unrecorded;
  const at::AutoDispatchBelowADInplaceOrView below;
  return at::lift_fresh(made);
}

inline torch::Tensor constant(const std::vector<std::int64_t>& values) {
  const auto made = [&] {
    const BesideModes beside;
    return torch::tensor(values, torch::kLong);
  };
  return for_modes(made());
}

inline torch::Tensor constant(const std::vector<double>& values) {
  const auto made = [&] {
    const BesideModes beside;
    return torch::tensor(values, torch::kDouble);
  };
  return for_modes(made());
}

}  // namespace gcan::nn::detail
