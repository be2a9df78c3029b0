#include "gcan/models/tetris/tetris_network.h"

#include "gcan/nn/detail/checks.h"

namespace gcan::models {

TetrisNetwork::TetrisNetwork(std::string title, const Scene& scene)
    : scene_(scene), title_(std::move(title)) {
  if (scene.steps_in < 1 || scene.steps_out < 1 || scene.points < 1) {
    throw Error(title_ + " needs at least one step in, one step out and one point");
  }
}

void TetrisNetwork::pretty_print(std::ostream& stream) const {
  stream << "gcan::models::" << title_ << "(" << scene_.steps_in << " steps of " << scene_.points << " points"
         << (scene_.fields == 2 ? " with velocities" : "") << " -> " << scene_.steps_out << " steps)";
}

void TetrisNetwork::refuse_velocities() const {
  if (scene_.fields != 1) throw Error(title_ + " takes positions only: velocities(true) is not supported");
}

torch::Tensor TetrisNetwork::forward(const torch::Tensor& x) {
  nn::detail::check_shape(title_, x, {-1, scene_.fields, scene_.steps_in, scene_.points, 3});
  // Folding replaces parameters, so look again before reporting an error.
  if (!parameter_.defined() || x.scalar_type() != parameter_.scalar_type()) parameter_ = parameters().front();
  if (x.scalar_type() != parameter_.scalar_type()) {
    throw Error(title_ + " got a tensor of " + std::string(x.dtype().name()) + ", but its parameters are " +
                std::string(parameter_.dtype().name()) + ": convert one of them with to()");
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
