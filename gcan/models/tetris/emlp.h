#pragma once

#include <optional>

#include "gcan/models/tetris/invariants.h"
#include "gcan/models/tetris/tetris_network.h"

namespace gcan::models {

struct EmlpOptions : SceneOptions<EmlpOptions> {
  EmlpOptions() : SceneOptions("SO(3)-MLP") {}
  TORCH_ARG(OrthogonalGroup, symmetry) = OrthogonalGroup::so3;
  // Width of the hidden layers, at most 404.
  TORCH_ARG(std::int64_t, width) = 256;
  // Hidden layers.
  TORCH_ARG(std::int64_t, layers) = 3;
};

// A linear layer that commutes with the group: weight and bias are projected onto equivariant ones.
class EquivariantLinearImpl : public torch::nn::Module {
 public:
  EquivariantLinearImpl(OrthogonalGroup group, const Representation& in, const Representation& out);
  torch::Tensor forward(const torch::Tensor& x);  // (N, in.size()) -> (N, out.size())

  torch::Tensor weight, bias;

 private:
  EquivariantProjection project_weight_, project_bias_;
};
TORCH_MODULE(EquivariantLinear);

// y = W(x) x / 10. The block of W from rank p to rank q is a linear combination of rank p + q tensors of x
// itself, which makes it equivariant; without it scalars could not depend on vectors. A few tensors of x of
// each rank are chosen at random once (`pick1` to `pick3`), and every pair of input and output has weights
// for them.
class BilinearImpl : public torch::nn::Module {
 public:
  explicit BilinearImpl(const Representation& representation);
  torch::Tensor forward(const torch::Tensor& x);  // (N, size) -> (N, size)

  // For rank r: (sum over p + q = r of picks * copies of p * copies of q).
  std::array<torch::Tensor, kMaxRank + 1> weight;
  // Indices; Module::to() converts them to floating-point like all buffers, which is exact.
  std::array<torch::Tensor, kMaxRank + 1> pick;

 private:
  Representation representation_;
};
TORCH_MODULE(Bilinear);

// The equivariant MLP of Finzi, Welling and Wilson (2021): predictions rotate with the scene and, for O(3),
// are mirrored with it. A hidden layer is linear, plus bilinear, followed by a gate: x sigmoid(x) for
// scalars; other tensors are multiplied by the sigmoid of their own scalar.
//
//   using namespace gcan::models;
//   auto network = Emlp(EmlpOptions().symmetry(OrthogonalGroup::o3));
//   auto y = network(x);                     // (N, 1, 4, 32, 3) -> (N, 1, 4, 32, 3)
class EmlpImpl : public CloneableNetwork<EmlpImpl, TetrisNetwork> {
 public:
  explicit EmlpImpl(const EmlpOptions& options_ = {});

  EmlpOptions options;

 protected:
  torch::Tensor predict(const torch::Tensor& x) override;

 private:
  Representation hidden_;
  std::vector<EquivariantLinear> linears_;
  std::vector<Bilinear> bilinears_;
};
TORCH_MODULE(Emlp);

// (N, representation.gated().size()) -> (N, representation.size())
torch::Tensor gated(const Representation& representation, const torch::Tensor& x);

}  // namespace gcan::models
