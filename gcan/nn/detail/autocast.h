#pragma once

// LibTorch's autocast (mixed precision) as our layers see it. Products and convolutions follow it; what
// assembles kernels, gates or normalises stays in float. Functions that compute something again in the
// backward pass do so in the state of the way forward. What differs between LibTorch 1.13 and 2.x is in
// autocast.cpp.

#include <array>

#include "gcan/torch.h"

namespace gcan::nn::detail {

// The type in which autocast asks to compute on a device; none where it is off.
c10::optional<torch::ScalarType> autocast_type(const torch::Device& device);

// The type that is set for a device, whether or not it is asked for.
torch::ScalarType autocast_setting(const torch::Device& device);

// Autocast as it is in this thread when the object is made.
class AutocastState {
 public:
  AutocastState();
  // Autocast on this device to this type, and off elsewhere. Error where LibTorch has none for the device.
  AutocastState(const torch::Device& device, torch::ScalarType type);

  // In this thread as long as the object lives.
  class Scope {
   public:
    explicit Scope(const AutocastState& state);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    void set(const AutocastState& state);
    std::array<bool, 2> before_on_;
    std::array<torch::ScalarType, 2> before_types_;
  };

 private:
  std::array<bool, 2> on_;  // the CPU, CUDA
  std::array<torch::ScalarType, 2> types_;
};

// Keeps autocast out of what its scope calls.
class NoAutocast {
 private:
  c10::impl::ExcludeDispatchKeyGuard guard_{c10::autocast_dispatch_keyset};
};

}  // namespace gcan::nn::detail
