#pragma once

#include "gcan/models/tetris/tetris_network.h"

namespace gcan::models {

struct GnnOptions : SceneOptions<GnnOptions> {
  GnnOptions() : SceneOptions("GNN") {}
  // Width of the hidden layers.
  TORCH_ARG(std::int64_t, width) = 136;
  // Rounds of message passing.
  TORCH_ARG(std::int64_t, layers) = 4;
  // Whether messages include the distance of their two points at the last input step.
  TORCH_ARG(bool, distances) = false;
};

// An MLP with one hidden layer.
class TwoLayersImpl : public torch::nn::Module {
 public:
  TwoLayersImpl(std::int64_t in, std::int64_t hidden, std::int64_t out);
  torch::nn::Linear first, second;
};
TORCH_MODULE(TwoLayers);

// Message passing on the complete graph of the points (Gilmer et al. 2017, Battaglia et al. 2018) with MLPs
// phi_e and phi_h of two linear layers and LeakyReLU:
//   m_i = sum_(j != i) phi_e(h_i, h_j),   h_i <- phi_h(h_i, m_i).
// As in GcaGnn, only an addition and LeakyReLU run per edge.
//
//   auto network = gcan::models::Gnn(gcan::models::GnnOptions().width(192));
//   auto y = network(x);                     // (N, 1, 4, 32, 3) -> (N, 1, 4, 32, 3)
class GnnImpl : public CloneableNetwork<GnnImpl, TetrisNetwork> {
 public:
  explicit GnnImpl(const GnnOptions& options_ = {});

  GnnOptions options;

 protected:
  torch::Tensor predict(const torch::Tensor& x) override;

 private:
  // h is (width, N * points); the distances (N, points, points), or undefined.
  torch::Tensor pass_messages(std::size_t layer, const torch::Tensor& h, const torch::Tensor& distances,
                              std::int64_t samples);

  torch::nn::Linear embed_, project_;
  std::vector<TwoLayers> messages_, updates_;
};
TORCH_MODULE(Gnn);

// The slope of LeakyReLU below zero, LibTorch's default.
inline constexpr double kLeakySlope = 0.01;

// A linear layer on the columns of x (in, columns).
torch::Tensor affine(const torch::nn::Linear& layer, const torch::Tensor& x);

// (N, points, points) from a scene (N, fields, steps, points, 3), at its last step.
torch::Tensor last_distances(const torch::Tensor& x);

}  // namespace gcan::models
