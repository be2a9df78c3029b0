#pragma once

#include "gcan/torch.h"

namespace gcan::nn {

// A layer whose group actions or geometric products can be replaced by the plain kernel that they make.
class Foldable {
 public:
  virtual ~Foldable() = default;

  // In place: afterwards the layer computes the same function, and its parameters are the `weight` and `bias`
  // of the ordinary layer on (N, channels * blades, space...). It cannot be undone.
  virtual void fold() = 0;
  [[nodiscard]] virtual bool is_folded() const = 0;
};

// Folds every layer inside the module, in place, whether the module is one of gcan's networks, a Sequential
// or a class of your own: for inference, where nothing is left to assemble. Returns the number of layers that
// it folded, 0 where there is none to fold.
//
//   torch::nn::Sequential network(gcan::nn::GcaLinear(pga, 8, 64), gcan::nn::MSiLU(pga, 64));
//   gcan::nn::fold(*network);
std::int64_t fold(torch::nn::Module& module);

}  // namespace gcan::nn
