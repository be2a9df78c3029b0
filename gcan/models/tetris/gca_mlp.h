#pragma once

#include "gcan/models/tetris/gca_layers.h"

namespace gcan::models {

struct GcaMlpOptions : GcaSceneOptions<GcaMlpOptions> {
  // 128 channels in 2 hidden layers.
  GcaMlpOptions() : GcaSceneOptions("GCA-MLP", 128, 2) {}
};

// GcaLinear layers with MSiLU between them, one channel per point and step.
//
//   auto network = gcan::models::GcaMlp(gcan::models::GcaMlpOptions().channels(64));
//   auto y = network(x);                     // (N, 1, 4, 32, 3) -> (N, 1, 4, 32, 3)
class GcaMlpImpl : public CloneableNetwork<GcaMlpImpl, TetrisNetwork> {
 public:
  explicit GcaMlpImpl(const GcaMlpOptions& options_ = {});

  GcaMlpOptions options;

 protected:
  torch::Tensor predict(const torch::Tensor& x) override;

 private:
  GcaSettings settings_;
  std::vector<nn::GcaLinear> linears_;
  std::vector<nn::GcaNorm> norms_;
  std::vector<nn::MSiLU> gates_;
};
TORCH_MODULE(GcaMlp);

}  // namespace gcan::models
