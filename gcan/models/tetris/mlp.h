#pragma once

#include "gcan/models/tetris/tetris_network.h"

namespace gcan::models {

struct MlpOptions {
  Scene scene;
  std::int64_t width = 384;
  std::int64_t layers = 2;  // hidden ones

  explicit MlpOptions(const config::Options& options);
  MlpOptions() = default;
};

// Linear layers with ReLU between them on all coordinates of a scene as one vector.
//
//   gcan::models::Mlp network("MLP", {});
//   auto y = network.forward(x);             // (N, 1, 4, 32, 3) -> (N, 1, 4, 32, 3)
class Mlp : public TetrisNetwork {
 public:
  Mlp(const std::string& title, const MlpOptions& options);

 protected:
  torch::Tensor predict(const torch::Tensor& x) override;

 private:
  torch::nn::Sequential layers_;
};

// An MLP that says for every predicted point by which motion it comes from an input point: a rotation, given
// by two columns that Gram-Schmidt makes orthonormal (Zhou et al. 2019), and a translation. Predicted step t
// moves the point of input step t, or of the last one where there are fewer input steps.
class MotorMlp : public TetrisNetwork {
 public:
  MotorMlp(const std::string& title, const MlpOptions& options);

 protected:
  torch::Tensor predict(const torch::Tensor& x) override;

 private:
  torch::nn::Sequential layers_;
};

// (..., 6) -> (..., 3, 3): the first two columns from the six numbers, the third by the cross product.
torch::Tensor rotation_of(const torch::Tensor& columns);

}  // namespace gcan::models
