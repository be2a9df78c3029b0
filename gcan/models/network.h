#pragma once

// gcan/models: whole networks, the GCA ones and every baseline of the paper, built from gcan/nn and
// LibTorch's own layers and found by name in one registry (registry.h). Nothing here reads files or trains.

#include "gcan/torch.h"

namespace gcan::models {

// A network from past frames to future ones. Tensors are contiguous, in and out alike
//   Tetris: (N, fields, steps, points, 3), fields = 1 (positions) or 2 (positions, velocities);
//   fluids: (N, steps, fields, height, width), a vector field being two neighbouring fields.
class Network : public torch::nn::Module {
 public:
  using torch::nn::Module::Module;
  virtual torch::Tensor forward(const torch::Tensor& x) = 0;
};

using NetworkPtr = std::shared_ptr<Network>;

}  // namespace gcan::models
