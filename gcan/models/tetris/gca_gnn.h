#pragma once

#include "gcan/models/tetris/gca_layers.h"

namespace gcan::models {

struct GcaGnnOptions : GcaSceneOptions<GcaGnnOptions> {
  // 64 channels, 4 rounds of message passing.
  GcaGnnOptions() : GcaSceneOptions("GCA-GNN", 64, 4) {}
};

// A GCA-MLP with one hidden layer.
class GcaTwoLayersImpl : public torch::nn::Module {
 public:
  GcaTwoLayersImpl(const GcaSettings& settings, std::int64_t in, std::int64_t hidden, std::int64_t out);
  nn::GcaLinear first, second;
  nn::MSiLU gate;
};
TORCH_MODULE(GcaTwoLayers);

// Message passing on the complete graph of the points, with GCA-MLPs phi_e and phi_h:
//   m_i = sum_(j != i) phi_e(h_i, h_j),   h_i <- phi_h(h_i, m_i).
// All linear layers run per point, not per edge: phi_e's first layer on (h_i, h_j) is a sum of a term of i
// and a term of j, and its last layer commutes with the sum over j. Only the gate runs per edge.
//
//   auto network = gcan::models::GcaGnn(gcan::models::GcaGnnOptions().channels(32));
//   auto y = network(x);                     // (N, 1, 4, 32, 3) -> (N, 1, 4, 32, 3)
class GcaGnnImpl : public CloneableNetwork<GcaGnnImpl, TetrisNetwork> {
 public:
  explicit GcaGnnImpl(const GcaGnnOptions& options_ = {});

  GcaGnnOptions options;

 protected:
  torch::Tensor predict(const torch::Tensor& x) override;

 private:
  // h is (channels * 3, fields * N * points).
  torch::Tensor pass_messages(std::size_t layer, const torch::Tensor& h, std::int64_t samples);

  GcaSettings settings_;
  nn::GcaLinear embed_, project_;
  std::vector<GcaTwoLayers> messages_, updates_;
  std::vector<nn::GcaNorm> norms_;
};
TORCH_MODULE(GcaGnn);

}  // namespace gcan::models
