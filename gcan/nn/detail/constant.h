#pragma once

// Tensors of numbers that the code knows. While PyTorch compiles or exports a program, its modes answer the
// making of a tensor with one that has no memory to fill, so that torch::tensor() fails there. These are made
// beside the modes, as Python's torch.tensor() does it, and handed to them as constants. On other devices
// than the CPU they are copied once and kept: a copy at every call would make the host wait for the device.

#include <memory>
#include <vector>

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

// On a device, whole numbers as such and others in the type of `like`. Kept by their values where that is not
// the CPU.
torch::Tensor constant(const std::vector<std::int64_t>& values, const torch::Device& device);
torch::Tensor constant(const std::vector<double>& values, const torch::TensorOptions& like);

// A tensor that was made on the CPU, wherever it is asked for. Copies are kept; copying the object shares
// them.
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
