#pragma once

// Base of the networks for moving points: the shape of scenes and its check.

#include <string>
#include <vector>

#include "gcan/models/network.h"
#include "gcan/nn/inherited_arg.h"

namespace gcan::models {

// Points in space at several times, (N, fields, steps, points, 3).
struct Scene {
  std::int64_t fields = 1;  // positions, or positions and velocities
  std::int64_t steps_in = 4;
  std::int64_t steps_out = 4;
  std::int64_t points = 32;

  // Size of a sample.
  [[nodiscard]] std::int64_t inputs() const { return fields * steps_in * points * 3; }
  [[nodiscard]] std::int64_t outputs() const { return fields * steps_out * points * 3; }
};

// Common options of networks for scenes.
template <class Derived>
class SceneOptions {
  // The name in the paper's tables, for messages.
  GCAN_INHERITED_ARG(std::string, title);
  GCAN_INHERITED_ARG(std::int64_t, steps_in) = 4;
  GCAN_INHERITED_ARG(std::int64_t, steps_out) = 4;
  GCAN_INHERITED_ARG(std::int64_t, points) = 32;
  // Whether input and output include velocities.
  GCAN_INHERITED_ARG(bool, velocities) = false;

 public:
  [[nodiscard]] Scene scene() const { return {velocities_ ? 2 : 1, steps_in_, steps_out_, points_}; }

 protected:
  explicit SceneOptions(std::string title) : title_(std::move(title)) {}
};

// A network of scenes: forward() checks the shape and the type, predict() computes.
class TetrisNetwork : public Network {
 public:
  TetrisNetwork(std::string title, const Scene& scene);

  torch::Tensor forward(const torch::Tensor& x) final;

  [[nodiscard]] const Scene& scene() const { return scene_; }
  // "GCA-MLP(4 steps of 32 points -> 4 steps)"
  void pretty_print(std::ostream& stream) const override;
  // As in the paper's tables; for errors.
  [[nodiscard]] const std::string& title() const { return title_; }

 protected:
  // x is (N, fields, steps_in, points, 3), the result has steps_out instead.
  virtual torch::Tensor predict(const torch::Tensor& x) = 0;

  // Error if the options request velocities, for networks that do not support them.
  void refuse_velocities() const;
  // A vector of outputs() numbers per sample as a scene.
  [[nodiscard]] torch::Tensor as_scene(const torch::Tensor& y) const;

 private:
  Scene scene_;
  std::string title_;
  // Any parameter, for its type: calling parameters() on every call takes as long as a small layer.
  torch::Tensor parameter_;
};

// Conversion to and from the layout with points last, (N, fields, steps, points, 3) -> (steps * 3, fields, N,
// points), in which a layer is one matrix product from the left and points are contiguous.
torch::Tensor points_last(const torch::Tensor& x);
torch::Tensor points_back(const torch::Tensor& y, std::int64_t steps);

}  // namespace gcan::models
