#include "gcan/models/tetris/mlp.h"

namespace gcan::models {
namespace {

template <class Options>
torch::nn::Sequential plain_layers(std::int64_t in, std::int64_t out, const Options& options) {
  torch::nn::Sequential layers;
  for (std::int64_t i = 0; i < options.layers(); ++i) {
    layers->push_back(torch::nn::Linear(i == 0 ? in : options.width(), options.width()));
    layers->push_back(torch::nn::ReLU(torch::nn::ReLUOptions(true)));
  }
  layers->push_back(torch::nn::Linear(options.width(), out));
  return layers;
}

// Gram-Schmidt divides by lengths, which may become arbitrarily small.
torch::Tensor unit(const torch::Tensor& v) {
  return torch::nn::functional::normalize(v, torch::nn::functional::NormalizeFuncOptions().dim(-1).eps(1e-8));
}

}  // namespace

MlpImpl::MlpImpl(const MlpOptions& options_)
    : CloneableNetwork(options_.title(), options_.scene()),
      options(options_),
      layers_(register_module("layers", plain_layers(scene().inputs(), scene().outputs(), options))) {}

torch::Tensor MlpImpl::predict(const torch::Tensor& x) { return as_scene(layers_->forward(x.flatten(1))); }

// Nine numbers for each predicted point: two columns and a translation.
MotorMlpImpl::MotorMlpImpl(const MotorMlpOptions& options_)
    : CloneableNetwork(options_.title(), options_.scene()),
      options(options_),
      layers_(register_module("layers", plain_layers(scene().inputs(), scene().outputs() * 3, options))) {
  refuse_velocities();
}

torch::Tensor MotorMlpImpl::predict(const torch::Tensor& x) {
  const torch::Tensor motion =
      layers_->forward(x.flatten(1)).view({x.size(0), scene().steps_out, scene().points, 9});
  torch::Tensor from = x.select(1, 0);
  if (scene().steps_out != scene().steps_in) {
    const auto step = torch::arange(scene().steps_out, torch::device(x.device()).dtype(torch::kLong));
    from = from.index_select(1, step.clamp_max(scene().steps_in - 1));
  }
  const torch::Tensor turned =
      torch::matmul(rotation_of(motion.narrow(-1, 0, 6)), from.unsqueeze(-1)).squeeze(-1);
  return (turned + motion.narrow(-1, 6, 3)).unsqueeze(1);
}

torch::Tensor rotation_of(const torch::Tensor& columns) {
  const torch::Tensor first = unit(columns.narrow(-1, 0, 3));
  const torch::Tensor second = columns.narrow(-1, 3, 3);
  const torch::Tensor second_unit = unit(second - (first * second).sum(-1, true) * first);
  return torch::stack({first, second_unit, torch::cross(first, second_unit, -1)}, -1);
}

}  // namespace gcan::models
