#pragma once

#include "gcan/models/tetris/tetris_network.h"

namespace gcan::models {

struct MlpOptions : SceneOptions<MlpOptions> {
  MlpOptions() : SceneOptions("MLP") {}
  // Width of the hidden layers.
  TORCH_ARG(std::int64_t, width) = 384;
  // Hidden layers.
  TORCH_ARG(std::int64_t, layers) = 2;
};

// Linear layers with ReLU on all coordinates of a scene as one vector.
//
//   auto network = gcan::models::Mlp(gcan::models::MlpOptions().width(256));
//   auto y = network(x);                     // (N, 1, 4, 32, 3) -> (N, 1, 4, 32, 3)
class MlpImpl : public CloneableNetwork<MlpImpl, TetrisNetwork> {
 public:
  explicit MlpImpl(const MlpOptions& options_ = {});

  MlpOptions options;

 protected:
  torch::Tensor predict(const torch::Tensor& x) override;

 private:
  torch::nn::Sequential layers_;
};
TORCH_MODULE(Mlp);

struct MotorMlpOptions : SceneOptions<MotorMlpOptions> {
  MotorMlpOptions() : SceneOptions("Motor-MLP") {}
  // Numbers in a hidden layer.
  TORCH_ARG(std::int64_t, width) = 256;
  // Hidden layers.
  TORCH_ARG(std::int64_t, layers) = 2;
};

// An MLP that predicts a motion for every output point, applied to an input point: a rotation, given by two
// columns that are orthonormalised by Gram-Schmidt (Zhou et al. 2019), and a translation. Predicted step t
// moves the point of input step t, or of the last input step if there are fewer.
class MotorMlpImpl : public CloneableNetwork<MotorMlpImpl, TetrisNetwork> {
 public:
  explicit MotorMlpImpl(const MotorMlpOptions& options_ = {});

  MotorMlpOptions options;

 protected:
  torch::Tensor predict(const torch::Tensor& x) override;

 private:
  torch::nn::Sequential layers_;
};
TORCH_MODULE(MotorMlp);

// (..., 6) -> (..., 3, 3): the first two columns from the six numbers, the third by the cross product.
torch::Tensor rotation_of(const torch::Tensor& columns);

}  // namespace gcan::models
