#pragma once

// gcan/deploy: trained networks for other tools, as TorchScript and ONNX files that need no gcan.
//
// This header: the tensor operations of a network, recorded.

#include <torch/csrc/jit/api/module.h>

#include "gcan/models/network.h"

namespace gcan::deploy {

// What is done to frames before the network and undone after it: (x - mean) / scale. Nothing where undefined.
struct Units {
  torch::Tensor mean, scale;
};

// Records what the network does to an input of the shape of `example`, (N, ...) with any N. The module has
// the network's parameters and a method `forward`, works for any number of samples, and is of LibTorch's own
// operations alone. Error when the operations depend on the number of samples in a way that cannot be
// followed.
torch::jit::Module trace(models::Network& network, const torch::Tensor& example, const Units& units = {});

}  // namespace gcan::deploy
