#pragma once

#include <optional>

#include "gcan/models/tetris/invariants.h"
#include "gcan/models/tetris/tetris_network.h"

namespace gcan::models {

struct EmlpOptions {
  Scene scene;
  OrthogonalGroup group = OrthogonalGroup::so3;
  std::int64_t width = 256;
  std::int64_t layers = 3;  // hidden ones

  EmlpOptions(OrthogonalGroup group, const config::Options& options);
  EmlpOptions() = default;
};

// A linear layer that commutes with the group: its weight and bias are projected onto those that do.
class EquivariantLinearImpl : public torch::nn::Module {
 public:
  EquivariantLinearImpl(OrthogonalGroup group, const Representation& in, const Representation& out);
  torch::Tensor forward(const torch::Tensor& x);  // (N, in.size()) -> (N, out.size())

  torch::Tensor weight, bias;

 private:
  EquivariantProjection project_weight_, project_bias_;
};
TORCH_MODULE(EquivariantLinear);

// y = W(x) x / 10: the part of W that takes tensors of rank p to tensors of rank q is made of tensors of rank
// p + q that are found in x itself, so that it commutes with the group; without it scalars could never depend
// on vectors. For each rank a few tensors of x are picked at random once, `pick1` to `pick3`, and every pair
// of an input and an output has weights for them.
class BilinearImpl : public torch::nn::Module {
 public:
  explicit BilinearImpl(const Representation& representation);
  torch::Tensor forward(const torch::Tensor& x);  // (N, size) -> (N, size)

  // For rank r: (sum over p + q = r of picks * copies of p * copies of q).
  std::array<torch::Tensor, kMaxRank + 1> weight;
  // Indices; Module::to() turns them into numbers of its type like all buffers, which keeps them exact.
  std::array<torch::Tensor, kMaxRank + 1> pick;

 private:
  Representation representation_;
};
TORCH_MODULE(Bilinear);

// The equivariant MLP of Finzi, Welling and Wilson (2021), which turns its prediction when the scene is
// turned, and for O(3) mirrors it too. Hidden layers are a linear one, plus the bilinear one of it, and a
// gate: scalars x sigmoid(x), every other tensor times sigmoid of a scalar of its own.
//
//   gcan::models::Emlp network("SO(3)-MLP", {});
//   auto y = network.forward(x);             // (N, 1, 4, 32, 3) -> (N, 1, 4, 32, 3)
class Emlp : public TetrisNetwork {
 public:
  Emlp(const std::string& title, const EmlpOptions& options);

 protected:
  torch::Tensor predict(const torch::Tensor& x) override;

 private:
  Representation hidden_;
  std::vector<EquivariantLinear> linears_;
  std::vector<Bilinear> bilinears_;
};

// (N, representation.gated().size()) -> (N, representation.size())
torch::Tensor gated(const Representation& representation, const torch::Tensor& x);

}  // namespace gcan::models
