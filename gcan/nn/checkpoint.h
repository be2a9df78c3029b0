#pragma once

#include <functional>
#include <vector>

#include "gcan/torch.h"

namespace gcan::nn {

// f(x), saving only x for the backward pass, which runs f again. `parameters` are the leaves besides x that f
// reads and that may require gradients. f must be deterministic.
//
//   y = gcan::nn::checkpoint([block](const torch::Tensor& x) { return block->forward(x); },
//                            block->parameters(), x);
torch::Tensor checkpoint(const std::function<torch::Tensor(const torch::Tensor&)>& f,
                         const std::vector<torch::Tensor>& parameters, const torch::Tensor& x);

}  // namespace gcan::nn
