#pragma once

// Tensors of known values. While PyTorch compiles or exports a program, its dispatch modes intercept tensor
// creation and return tensors without memory, so torch::tensor() fails. These functions create tensors
// outside the modes, as Python's torch.tensor() does, and pass them to the modes as constants. Copies on
// devices other than the CPU are cached: copying at every call would make the host wait for the device.

#include <memory>
#include <vector>

#include "gcan/torch.h"

namespace gcan::nn::detail {

// Excludes the modes of Python, functorch and functionalization in its scope, so that new tensors have
// memory. For tensors that outlive the modes; pass them through `for_modes` where they are used.
class BesideModes {
 private:
  c10::impl::ExcludeDispatchKeyGuard guard_{
      c10::DispatchKeySet{c10::DispatchKey::Python, c10::DispatchKey::PythonTLSSnapshot,
                          c10::DispatchKey::FuncTorchDynamicLayerFrontMode,
                          c10::DispatchKey::FuncTorchDynamicLayerBackMode, c10::DispatchKey::Functionalize}};
};

// The tensor as the active modes need it; unchanged without modes. Do not write to it.
inline torch::Tensor for_modes(const torch::Tensor& made) {
  const at::tracer::impl::NoTracerDispatchMode unrecorded;
  const at::AutoDispatchBelowADInplaceOrView below;
  return at::lift_fresh(made);
}

// On a device; integers keep their type, other values get the type of `like`. Cached by value, except on
// the CPU.
torch::Tensor constant(const std::vector<std::int64_t>& values, const torch::Device& device);
torch::Tensor constant(const std::vector<double>& values, const torch::TensorOptions& like);

// A tensor created on the CPU and available on any device. Copies are cached, and copies of the object
// share them.
class DeviceTensor {
 public:
  DeviceTensor() = default;
  explicit DeviceTensor(torch::Tensor made);
  [[nodiscard]] torch::Tensor on(const torch::Device& device, torch::ScalarType type) const;
  [[nodiscard]] torch::Tensor on(const torch::Device& device) const;  // in its own type
  [[nodiscard]] const torch::Tensor& made() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace gcan::nn::detail
