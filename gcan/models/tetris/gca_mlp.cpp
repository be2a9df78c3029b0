#include "gcan/models/tetris/gca_mlp.h"

namespace gcan::models {

GcaMlpOptions::GcaMlpOptions(const config::Options& options)
    : scene(options), gca(options), channels(options.whole("channels")), layers(options.whole("layers")) {}

GcaMlp::GcaMlp(const std::string& title, const GcaMlpOptions& options)
    : TetrisNetwork(title, options.scene), settings_(options.gca) {
  std::int64_t in = scene().steps_in * scene().points;
  for (std::int64_t i = 0; i < options.layers; ++i, in = options.channels) {
    const std::string number = std::to_string(i);
    linears_.push_back(register_module("linear" + number, gca_linear(settings_, in, options.channels)));
    gates_.push_back(register_module("gate" + number, gca_gate(settings_, options.channels)));
    if (!settings_.norm) continue;
    norms_.push_back(register_module("norm" + number, gca_norm(settings_, options.channels)));
  }
  linears_.push_back(register_module("linear" + std::to_string(options.layers),
                                     gca_linear(settings_, in, scene().steps_out * scene().points)));
}

torch::Tensor GcaMlp::predict(const torch::Tensor& x) {
  const std::int64_t fields = settings_.fields;
  // (N, fields, steps, points, 3) -> (steps * points * 3, fields * N).
  torch::Tensor h = x.permute({2, 3, 4, 1, 0}).reshape({scene().inputs() / fields, fields, x.size(0)});
  h = mirror_velocities(settings_, h).flatten(1);
  for (std::size_t i = 0; i < linears_.size(); ++i) {
    h = linears_[i]->forward_columns(h, h.size(1) / fields);
    if (i == gates_.size()) break;
    if (settings_.norm) h = columnwise(norms_[i], h, fields);
    h = columnwise(gates_[i], h, fields);
  }
  h = mirror_velocities(settings_, h.view({h.size(0), fields, x.size(0)}));
  return as_scene(h.permute({2, 1, 0}).contiguous());
}

}  // namespace gcan::models
