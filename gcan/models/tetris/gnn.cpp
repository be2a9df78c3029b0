#include "gcan/models/tetris/gnn.h"

#include "gcan/nn/detail/message.h"

namespace gcan::models {

using torch::Tensor;

TwoLayersImpl::TwoLayersImpl(std::int64_t in, std::int64_t hidden, std::int64_t out)
    : first(register_module("first", torch::nn::Linear(in, hidden))),
      second(register_module("second", torch::nn::Linear(hidden, out))) {}

Tensor affine(const torch::nn::Linear& layer, const Tensor& x) {
  return torch::addmm(layer->bias.unsqueeze(1), layer->weight, x);
}

Tensor last_distances(const Tensor& x) {
  const Tensor position = x.select(1, 0).select(1, -1);
  // Uses differences: LibTorch's matrix product for more than 25 points loses precision.
  constexpr std::int64_t kByDifferences = 2;
  return torch::cdist(position, position, 2.0, kByDifferences);
}

GnnImpl::GnnImpl(const GnnOptions& options_)
    : CloneableNetwork(options_.title(), options_.scene()),
      options(options_),
      embed_(register_module("embed", torch::nn::Linear(scene().inputs() / scene().points, options.width()))),
      project_(register_module("project",
                               torch::nn::Linear(options.width(), scene().outputs() / scene().points))) {
  const std::int64_t width = options.width();
  for (std::int64_t i = 0; i < options.layers(); ++i) {
    const std::string number = std::to_string(i);
    messages_.push_back(register_module("message" + number,
                                        TwoLayers(2 * width + (options.distances() ? 1 : 0), width, width)));
    updates_.push_back(register_module("update" + number, TwoLayers(2 * width, width, width)));
  }
}

Tensor GnnImpl::pass_messages(std::size_t layer, const Tensor& h, const Tensor& distances,
                              std::int64_t samples) {
  const std::int64_t width = h.size(0), points = scene().points;
  TwoLayers &message = messages_[layer], &update = updates_[layer];
  const std::vector<Tensor> edge = message->first->weight.split(width, 1);
  const auto on_nodes = [&](const Tensor& x) { return x.view({width, samples, points}); };
  const Tensor a = torch::addmm(message->first->bias.unsqueeze(1), edge[0], h);
  const Tensor sum =
      nn::detail::leaky_messages(on_nodes(a), on_nodes(torch::mm(edge[1], h)), kLeakySlope, distances,
                                 options.distances() ? edge[2].squeeze(1) : Tensor());
  const Tensor bias = message->second->bias * static_cast<double>(points - 1);
  const Tensor m = torch::addmm(bias.unsqueeze(1), message->second->weight, sum.view(h.sizes()));

  const std::vector<Tensor> node = update->first->weight.split(width, 1);
  Tensor next = torch::addmm(update->first->bias.unsqueeze(1), node[0], h);
  next = torch::leaky_relu(torch::addmm(next, node[1], m), kLeakySlope);
  return affine(update->second, next);
}

Tensor GnnImpl::predict(const Tensor& x) {
  const std::int64_t samples = x.size(0), points = scene().points;
  const Tensor distances = options.distances() ? last_distances(x) : Tensor();
  Tensor h = points_last(x).view({scene().inputs() / points, samples * points});
  h = affine(embed_, h);
  for (std::size_t layer = 0; layer < messages_.size(); ++layer) {
    h = pass_messages(layer, h, distances, samples);
  }
  h = affine(project_, h);
  return points_back(h.view({scene().steps_out * 3, scene().fields, samples, points}), scene().steps_out);
}

}  // namespace gcan::models
