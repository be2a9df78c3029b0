#pragma once

#include "gcan/models/tetris/gnn.h"

namespace gcan::models {

struct EdgeConvOptions {
  Scene scene;
  std::int64_t width = 256;
  std::int64_t layers = 4;
  // Points that a point hears: the nearest so many in the space of the features at each layer, or all
  // others for 0.
  std::int64_t neighbours = 0;

  explicit EdgeConvOptions(const config::Options& options);
  EdgeConvOptions() = default;
};

// Dynamic graph convolutions (Wang et al. 2019): h_i <- max_j phi(h_i, h_j - h_i) with an MLP phi of two
// linear layers and LeakyReLU. The first one is done per point: W (h_i, h_j - h_i) is a sum of a term of i
// and a term of j. The second does not commute with the maximum and stays with the edges (nn/edge_max.h).
//
//   gcan::models::EdgeConv network("EdgeConv", {});
//   auto y = network.forward(x);             // (N, 1, 4, 32, 3) -> (N, 1, 4, 32, 3)
class EdgeConv : public TetrisNetwork {
 public:
  EdgeConv(const std::string& title, const EdgeConvOptions& options);

 protected:
  torch::Tensor predict(const torch::Tensor& x) override;

 private:
  // h is (N * points, width).
  torch::Tensor convolve(std::size_t layer, const torch::Tensor& h, std::int64_t samples);
  // Starts of the edges to each point, as indices into N * points: (N * points, neighbours).
  [[nodiscard]] torch::Tensor starts(const torch::Tensor& h, std::int64_t samples) const;

  std::int64_t neighbours_;
  torch::nn::Linear embed_, project_;
  std::vector<TwoLayers> edges_;
};

}  // namespace gcan::models
