#include "gcan/models/gca_mlp.h"

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
  torch::Tensor h = samples_last(x);
  for (std::size_t i = 0; i < gates_.size(); ++i) {
    h = gca_affine(linears_[i]->assembled(is_training()), h, fields);
    if (settings_.norm) h = columnwise(norms_[i], h, fields);
    h = columnwise(gates_[i], h, fields);
  }
  const nn::AssembledKernel last = linears_.back()->assembled(is_training());
  // The product itself turns positions back, which costs nothing.
  if (fields == 1) return as_scene(torch::addmm(last.bias, h.t(), last.kernel.t()));
  h = gca_affine(last, h, fields);
  h = mirror_velocities(settings_, h.view({h.size(0), fields, x.size(0)}));
  return as_scene(h.permute({2, 1, 0}).contiguous());
}

torch::Tensor GcaMlp::samples_last(const torch::Tensor& x) const {
  const torch::Tensor rows = x.reshape({x.size(0), settings_.fields, scene().inputs() / settings_.fields});
  if (settings_.fields == 1) return rows.squeeze(1).t();
  return mirror_velocities(settings_, rows.permute({2, 1, 0}).contiguous()).flatten(1);
}

}  // namespace gcan::models
