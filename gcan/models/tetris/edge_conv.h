#pragma once

#include "gcan/models/tetris/gnn.h"

namespace gcan::models {

struct EdgeConvOptions : SceneOptions<EdgeConvOptions> {
  EdgeConvOptions() : SceneOptions("EdgeConv") {}
  // Width of the hidden layers.
  TORCH_ARG(std::int64_t, width) = 256;
  // Edge convolutions.
  TORCH_ARG(std::int64_t, layers) = 4;
  // The number of points that send messages to a point, the nearest in feature space at each layer; 0: all
  // others.
  TORCH_ARG(std::int64_t, neighbours) = 0;
};

// Dynamic graph convolutions (Wang et al. 2019): h_i <- max_j phi(h_i, h_j - h_i) with an MLP phi of two
// linear layers and LeakyReLU. The first layer is computed per point, because W (h_i, h_j - h_i) is a sum of
// a term of i and a term of j. The second does not commute with the maximum and is computed per edge
// (nn/edge_max.h).
//
//   auto network = gcan::models::EdgeConv(gcan::models::EdgeConvOptions().neighbours(8));
//   auto y = network(x);                     // (N, 1, 4, 32, 3) -> (N, 1, 4, 32, 3)
class EdgeConvImpl : public CloneableNetwork<EdgeConvImpl, TetrisNetwork> {
 public:
  explicit EdgeConvImpl(const EdgeConvOptions& options_ = {});

  EdgeConvOptions options;

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
TORCH_MODULE(EdgeConv);

}  // namespace gcan::models
