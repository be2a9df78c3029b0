#pragma once

#include <functional>
#include <vector>

#include "gcan/torch.h"

namespace gcan::nn {

// f(x), keeping nothing for the backward pass but x: f is run again there. `parameters` are the leaves that f
// reads besides x and that may want gradients. f must compute the same each time.
//
//   y = gcan::nn::checkpoint([block](const torch::Tensor& x) { return block->forward(x); },
//                            block->parameters(), x);
torch::Tensor checkpoint(const std::function<torch::Tensor(const torch::Tensor&)>& f,
                         const std::vector<torch::Tensor>& parameters, const torch::Tensor& x);

}  // namespace gcan::nn
