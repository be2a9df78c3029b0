#pragma once

// The work of the `layers` benchmark: a layer forward, and forward and backward.

#include <malloc.h>

#include "gcan/torch.h"

namespace gcan::bench {

// One training step's share of a layer in the middle of a network: forward, then the gradients of the input
// and of all parameters.
template <class Layer>
auto forward_backward(Layer& layer, const torch::Tensor& input) {
  const torch::Tensor x = input.detach().requires_grad_();
  torch::Tensor grads;
  {
    const torch::NoGradGuard no_grad;
    grads = torch::randn_like(layer(x));
  }
  return [&layer, x, grads] {
    for (torch::Tensor& p : layer->parameters()) p.mutable_grad() = torch::Tensor();
    x.mutable_grad() = torch::Tensor();
    layer(x).backward(grads);
  };
}

// Megabytes held by a layer between forward and backward besides its input, output and parameters.
template <class Layer>
double held_for_backward(Layer& layer, const torch::Tensor& input) {
  const auto in_use = [] {
    const auto info = mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd);
  };
  const torch::Tensor x = input.detach().requires_grad_();
  layer(x);
  const double before = in_use();
  const torch::Tensor y = layer(x);
  return (in_use() - before - static_cast<double>(y.nbytes())) / 1e6;
}

}  // namespace gcan::bench
