#include "gcan/models/tetris/gca_gnn.h"

#include "gcan/nn/detail/message.h"

namespace gcan::models {

using torch::Tensor;

GcaTwoLayersImpl::GcaTwoLayersImpl(const GcaSettings& settings, std::int64_t in, std::int64_t hidden,
                                   std::int64_t out)
    : first(register_module("first", gca_linear(settings, in, hidden))),
      second(register_module("second", gca_linear(settings, hidden, out))),
      gate(register_module("gate", gca_gate(settings, hidden))) {}

GcaGnnImpl::GcaGnnImpl(const GcaGnnOptions& options_)
    : CloneableNetwork(options_.title(), options_.scene()),
      options(options_),
      settings_(options_.settings()),
      embed_(register_module("embed", gca_linear(settings_, scene().steps_in, options.channels()))),
      project_(register_module("project", gca_linear(settings_, options.channels(), scene().steps_out))) {
  const std::int64_t width = options.channels();
  for (std::int64_t i = 0; i < options.layers(); ++i) {
    const std::string number = std::to_string(i);
    messages_.push_back(
        register_module("message" + number, GcaTwoLayers(settings_, 2 * width, width, width)));
    updates_.push_back(register_module("update" + number, GcaTwoLayers(settings_, 2 * width, width, width)));
    if (!settings_.norm) continue;
    norms_.push_back(register_module("norm" + number, gca_norm(settings_, width)));
  }
}

Tensor GcaGnnImpl::pass_messages(std::size_t layer, const Tensor& h, std::int64_t samples) {
  const std::int64_t fields = settings_.fields, points = scene().points, positions = h.size(1) / fields;
  GcaTwoLayers &message = messages_[layer], &update = updates_[layer];
  // A point's terms in the messages to itself and to others.
  const Tensor ends = message->first->forward_columns(h, {true, positions, 1, /*groups=*/2});
  const std::int64_t width = message->gate->options.channels();
  const Tensor sum =
      nn::detail::gated_messages(message->gate, ends.view({width, 3, 2, fields, samples, points}));
  const auto neighbours = static_cast<double>(points - 1);
  Tensor next = update->first->forward_columns_after(*message->second, h, sum.view(h.sizes()),
                                                     {true, positions, neighbours});
  next = columnwise(update->gate, next, fields);
  next = update->second->forward_columns(next, positions);
  return settings_.norm ? columnwise(norms_[layer], next, fields) : next;
}

Tensor GcaGnnImpl::predict(const Tensor& x) {
  const std::int64_t fields = settings_.fields, samples = x.size(0);
  Tensor h = mirror_velocities(settings_, points_last(x)).flatten(1);
  h = embed_->forward_columns(h, h.size(1) / fields);
  for (std::size_t layer = 0; layer < messages_.size(); ++layer) h = pass_messages(layer, h, samples);
  h = project_->forward_columns(h, h.size(1) / fields);
  h = mirror_velocities(settings_, h.view({h.size(0), fields, samples, scene().points}));
  return points_back(h, scene().steps_out);
}

}  // namespace gcan::models
