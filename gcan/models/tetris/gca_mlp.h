#pragma once

#include "gcan/models/tetris/gca_layers.h"

namespace gcan::models {

struct GcaMlpOptions {
  Scene scene;
  GcaSettings gca;
  std::int64_t channels = 128;
  std::int64_t layers = 2;  // hidden ones

  explicit GcaMlpOptions(const config::Options& options);
  GcaMlpOptions() = default;
};

// GcaLinear layers with MSiLU between them, one channel per point and step.
//
//   gcan::models::GcaMlp network("GCA-MLP", {});
//   auto y = network.forward(x);             // (N, 1, 4, 32, 3) -> (N, 1, 4, 32, 3)
class GcaMlp : public TetrisNetwork {
 public:
  GcaMlp(const std::string& title, const GcaMlpOptions& options);

 protected:
  torch::Tensor predict(const torch::Tensor& x) override;

 private:
  GcaSettings settings_;
  std::vector<nn::GcaLinear> linears_;
  std::vector<nn::GcaNorm> norms_;
  std::vector<nn::MSiLU> gates_;
};

}  // namespace gcan::models
