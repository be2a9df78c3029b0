#include "gcan/models/tetris/tetris_network.h"

#include "gcan/nn/detail/checks.h"

namespace gcan::models {

Scene::Scene(const config::Options& options)
    : fields(options.has("velocities") && options.flag("velocities") ? 2 : 1),
      steps_in(options.whole("steps_in")),
      steps_out(options.whole("steps_out")),
      points(options.whole("points")) {}

std::vector<config::Option> scene_options() {
  return {{"steps_in", std::int64_t{4}, "time steps that the network sees", {}, 1, 1024},
          {"steps_out", std::int64_t{4}, "time steps that it predicts", {}, 1, 1024},
          {"points", std::int64_t{32}, "points of a scene", {}, 1, 4096}};
}

std::vector<config::Option> scene_options(bool velocities) {
  std::vector<config::Option> options = scene_options();
  options.push_back({"velocities", velocities, "whether points come and go with their velocities"});
  return options;
}

torch::Tensor TetrisNetwork::forward(const torch::Tensor& x) {
  nn::check_shape(title_, x, {-1, scene_.fields, scene_.steps_in, scene_.points, 3});
  if (!parameter_.defined()) parameter_ = parameters().front();
  if (x.scalar_type() != parameter_.scalar_type()) {
    throw Error(title_ + " got a tensor of " + std::string(x.dtype().name()) + ", but its parameters are " +
                std::string(parameter_.dtype().name()) + ": convert one of them with to().");
  }
  return predict(x);
}

torch::Tensor TetrisNetwork::as_scene(const torch::Tensor& y) const {
  return y.view({y.size(0), scene_.fields, scene_.steps_out, scene_.points, 3});
}

torch::Tensor points_last(const torch::Tensor& x) {
  return x.permute({2, 4, 1, 0, 3}).reshape({x.size(2) * 3, x.size(1), x.size(0), x.size(3)});
}

torch::Tensor points_back(const torch::Tensor& y, std::int64_t steps) {
  return y.unflatten(0, {steps, 3}).permute({3, 2, 0, 4, 1}).contiguous();
}

}  // namespace gcan::models
