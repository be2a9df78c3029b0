#pragma once

// What the networks for moving points have in common: the shape of their scenes and the check of it.

#include <string>
#include <vector>

#include "gcan/config/options.h"
#include "gcan/models/network.h"

namespace gcan::models {

// Points in space at several times, (N, fields, steps, points, 3).
struct Scene {
  std::int64_t fields = 1;  // positions, or positions and velocities
  std::int64_t steps_in = 4;
  std::int64_t steps_out = 4;
  std::int64_t points = 32;

  explicit Scene(const config::Options& options);
  Scene() = default;

  // Numbers per sample.
  [[nodiscard]] std::int64_t inputs() const { return fields * steps_in * points * 3; }
  [[nodiscard]] std::int64_t outputs() const { return fields * steps_out * points * 3; }
};

// The options that Scene reads: steps_in, steps_out, points and, where the network takes them, velocities.
std::vector<config::Option> scene_options();
std::vector<config::Option> scene_options(bool velocities);

// A network of scenes: forward() checks the shape and the type, predict() computes.
class TetrisNetwork : public Network {
 public:
  TetrisNetwork(std::string title, const Scene& scene) : scene_(scene), title_(std::move(title)) {}

  torch::Tensor forward(const torch::Tensor& x) final;

  [[nodiscard]] const Scene& scene() const { return scene_; }
  // As in the paper's tables; for errors.
  [[nodiscard]] const std::string& title() const { return title_; }

 protected:
  // x is (N, fields, steps_in, points, 3), the result has steps_out instead.
  virtual torch::Tensor predict(const torch::Tensor& x) = 0;

  // A vector of outputs() numbers per sample as a scene.
  [[nodiscard]] torch::Tensor as_scene(const torch::Tensor& y) const;

 private:
  Scene scene_;
  std::string title_;
  // Any one, for its type: it is the same tensor for ever, whatever to() puts into it, and to ask for all
  // parameters at each call takes as long as a small layer.
  torch::Tensor parameter_;
};

// For one point after the other, in and out of the layout that keeps the points last:
// (N, fields, steps, points, 3) -> (steps * 3, fields, N, points), so that a layer is one product from the
// left, and what happens between points runs along memory.
torch::Tensor points_last(const torch::Tensor& x);
torch::Tensor points_back(const torch::Tensor& y, std::int64_t steps);

}  // namespace gcan::models
