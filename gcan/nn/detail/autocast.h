#pragma once

// LibTorch's autocast (mixed precision) for our layers. Products and convolutions follow it; kernel
// assembly, gates and normalisation stay in float. Functions that recompute in the backward pass restore
// the autocast state of the forward pass. autocast.cpp hides the differences between LibTorch 1.13 and 2.x.

#include <array>

#include "gcan/torch.h"

namespace gcan::nn::detail {

// The type that autocast selects on a device; empty if autocast is off.
c10::optional<torch::ScalarType> autocast_type(const torch::Device& device);

// The type set for a device, whether or not autocast is on.
torch::ScalarType autocast_setting(const torch::Device& device);

// The autocast state of this thread at construction.
class AutocastState {
 public:
  AutocastState();
  // Autocast on for this device with this type, and off elsewhere. Error if LibTorch has none for the
  // device.
  AutocastState(const torch::Device& device, torch::ScalarType type);

  // Restores the state in this thread during the object's lifetime.
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
  std::array<bool, 2> on_;  // CPU, CUDA
  std::array<torch::ScalarType, 2> types_;
};

// Turns autocast off in its scope.
class NoAutocast {
 private:
  c10::impl::ExcludeDispatchKeyGuard guard_{c10::autocast_dispatch_keyset};
};

}  // namespace gcan::nn::detail
