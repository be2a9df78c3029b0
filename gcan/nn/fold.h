#pragma once

#include "gcan/torch.h"

namespace gcan::nn {

// A layer whose group actions or geometric products can be replaced by their plain kernel.
class Foldable {
 public:
  virtual ~Foldable() = default;

  // Folds in place: the layer computes the same function, but its parameters become the `weight` and `bias`
  // of the ordinary layer on (N, channels * blades, space...). This cannot be undone.
  virtual void fold() = 0;
  [[nodiscard]] virtual bool is_folded() const = 0;
};

// Folds every layer inside any module, in place, for faster inference: gcan's networks, a Sequential, or your
// own class. Returns the number of folded layers.
//
//   torch::nn::Sequential network(gcan::nn::GcaLinear(pga, 8, 64), gcan::nn::MSiLU(pga, 64));
//   gcan::nn::fold(*network);
std::int64_t fold(torch::nn::Module& module);

}  // namespace gcan::nn
