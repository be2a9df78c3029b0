#include "gcan/models/gca_gnn.h"

#include "gcan/nn/message.h"

namespace gcan::models {
namespace {

using torch::Tensor;

// The kernel of a layer on two concatenated groups of channels as one kernel for each.
std::vector<Tensor> halves(const Tensor& kernel) {
  return kernel.view({kernel.size(0), 2, kernel.size(1) / 2}).unbind(1);
}

}  // namespace

GcaGnnOptions::GcaGnnOptions(const config::Options& options)
    : scene(options), gca(options), channels(options.whole("channels")), layers(options.whole("layers")) {}

GcaTwoLayersImpl::GcaTwoLayersImpl(const GcaSettings& settings, std::int64_t in, std::int64_t hidden,
                                   std::int64_t out)
    : first(register_module("first", gca_linear(settings, in, hidden))),
      second(register_module("second", gca_linear(settings, hidden, out))),
      gate(register_module("gate", gca_gate(settings, hidden))) {}

GcaGnn::GcaGnn(const std::string& title, const GcaGnnOptions& options)
    : TetrisNetwork(title, options.scene),
      settings_(options.gca),
      embed_(register_module("embed", gca_linear(settings_, scene().steps_in, options.channels))),
      project_(register_module("project", gca_linear(settings_, options.channels, scene().steps_out))) {
  const std::int64_t width = options.channels;
  for (std::int64_t i = 0; i < options.layers; ++i) {
    const std::string number = std::to_string(i);
    messages_.push_back(
        register_module("message" + number, GcaTwoLayers(settings_, 2 * width, width, width)));
    updates_.push_back(register_module("update" + number, GcaTwoLayers(settings_, 2 * width, width, width)));
    if (!settings_.norm) continue;
    norms_.push_back(register_module("norm" + number, gca_norm(settings_, width)));
  }
}

Tensor GcaGnn::pass_messages(std::size_t layer, const Tensor& h, std::int64_t samples) {
  const std::int64_t fields = settings_.fields, points = scene().points;
  GcaTwoLayers &message = messages_[layer], &update = updates_[layer];
  const auto on_nodes = [&](const Tensor& x) { return x.view({x.size(0) / 3, 3 * fields, samples, points}); };
  const nn::AssembledKernel edge = message->first->assembled(is_training());
  const std::vector<Tensor> ends = halves(edge.kernel);
  const Tensor a = gca_affine({ends[0], edge.bias}, h, fields);
  const Tensor sum = nn::gated_messages(message->gate, on_nodes(a), on_nodes(torch::mm(ends[1], h)));

  nn::AssembledKernel last = message->second->assembled(is_training());
  last.bias = last.bias * static_cast<double>(points - 1);
  const Tensor m = gca_affine(last, sum.view(h.sizes()), fields);

  const nn::AssembledKernel node = update->first->assembled(is_training());
  const std::vector<Tensor> parts = halves(node.kernel);
  Tensor next = torch::addmm(gca_affine({parts[0], node.bias}, h, fields), parts[1], m);
  next = columnwise(update->gate, next, fields);
  next = update->second->forward_columns(next, next.size(1) / fields);
  return settings_.norm ? columnwise(norms_[layer], next, fields) : next;
}

Tensor GcaGnn::predict(const Tensor& x) {
  const std::int64_t fields = settings_.fields, samples = x.size(0);
  Tensor h = mirror_velocities(settings_, points_last(x)).flatten(1);
  h = embed_->forward_columns(h, h.size(1) / fields);
  for (std::size_t layer = 0; layer < messages_.size(); ++layer) h = pass_messages(layer, h, samples);
  h = project_->forward_columns(h, h.size(1) / fields);
  h = mirror_velocities(settings_, h.view({h.size(0), fields, samples, scene().points}));
  return points_back(h, scene().steps_out);
}

}  // namespace gcan::models
