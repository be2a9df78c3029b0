#pragma once

// gcan/models: whole networks, the GCA ones and every baseline of the paper, built from gcan/nn and
// LibTorch's own layers. Each is a LibTorch module with options (GcaMlp, GcaUNet2d, ...); configurations find
// them by name in one registry (registry.h). Nothing here reads files or trains.

#include "gcan/nn/fold.h"
#include "gcan/torch.h"

namespace gcan::models {

using nn::fold;

// A network from past frames to future ones. Tensors are contiguous, in and out alike
//   Tetris: (N, fields, steps, points, 3), fields = 1 (positions) or 2 (positions, velocities);
//   fluids: (N, steps, fields, height, width), a vector field being two neighbouring fields.
class Network : public torch::nn::Module {
 public:
  using torch::nn::Module::Module;
  virtual torch::Tensor forward(const torch::Tensor& x) = 0;
};

using NetworkPtr = std::shared_ptr<Network>;

// Makes `to`, a network of the same options, a copy of `from`: parameters, buffers, which layers are folded,
// training or evaluation.
void copy_state(const torch::nn::Module& from, torch::nn::Module& to,
                const c10::optional<torch::Device>& device);

// clone() for a network that its member `options` describes completely.
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
