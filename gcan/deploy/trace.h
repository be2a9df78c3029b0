#pragma once

// gcan/deploy: exports trained networks as TorchScript and ONNX files that do not need gcan.
//
// This header: traces the tensor operations of a network.

#include <torch/csrc/jit/api/module.h>

#include "gcan/models/network.h"

namespace gcan::deploy {

// Applied to frames before the network and undone after it: (x - mean) / scale. Undefined tensors have no
// effect.
struct Units {
  torch::Tensor mean, scale;
};

// Traces the network on an input of the shape of `example`, (N, ...). The module has the network's parameters
// and a method `forward`, works for any number of samples, and consists of LibTorch's own operations. Error
// if the operations depend on the number of samples in an unsupported way.
torch::jit::Module trace(models::Network& network, const torch::Tensor& example, const Units& units = {});

}  // namespace gcan::deploy
