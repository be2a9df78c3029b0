#pragma once

// gcan/models: the paper's networks, GCA and baselines, built from gcan/nn and LibTorch's layers. Each is a
// LibTorch module with options (GcaMlp, GcaUNet2d, ...); configurations find them by name in a registry
// (registry.h). This module neither reads files nor trains.

#include "gcan/nn/fold.h"
#include "gcan/torch.h"

namespace gcan::models {

using nn::fold;

// A network that maps past frames to future ones. Input and output are contiguous
//   Tetris: (N, fields, steps, points, 3), fields = 1 (positions) or 2 (positions, velocities);
//   fluids: (N, steps, fields, height, width), a vector field being two neighbouring fields.
class Network : public torch::nn::Module {
 public:
  using torch::nn::Module::Module;
  virtual torch::Tensor forward(const torch::Tensor& x) = 0;
};

using NetworkPtr = std::shared_ptr<Network>;

// Copies the state of `from` to `to`, a network with the same options: parameters, buffers, folded layers,
// training or evaluation mode.
void copy_state(const torch::nn::Module& from, torch::nn::Module& to,
                const c10::optional<torch::Device>& device);

// Implements clone() for networks that are fully described by their member `options`.
template <class Derived, class Base>
class CloneableNetwork : public Base {
 public:
  using Base::Base;
  std::shared_ptr<torch::nn::Module> clone(
      const c10::optional<torch::Device>& device = c10::nullopt) const override {
    auto copy = std::make_shared<Derived>(static_cast<const Derived&>(*this).options);
    copy_state(*this, *copy, device);
    return copy;
  }
};

}  // namespace gcan::models
