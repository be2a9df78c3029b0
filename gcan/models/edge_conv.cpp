#include "gcan/models/edge_conv.h"

#include "gcan/algebra/error.h"

namespace gcan::models {

using torch::Tensor;

EdgeConvOptions::EdgeConvOptions(const config::Options& options)
    : scene(options),
      width(options.whole("width")),
      layers(options.whole("layers")),
      neighbours(options.whole("neighbours")) {}

EdgeConv::EdgeConv(const std::string& title, const EdgeConvOptions& options)
    : TetrisNetwork(title, options.scene),
      neighbours_(options.neighbours == 0 ? scene().points - 1 : options.neighbours),
      embed_(register_module("embed", torch::nn::Linear(scene().inputs() / scene().points, options.width))),
      project_(
          register_module("project", torch::nn::Linear(options.width, scene().outputs() / scene().points))) {
  if (neighbours_ < 1 || neighbours_ >= scene().points) {
    throw Error(title + " of " + std::to_string(scene().points) + " points cannot have " +
                std::to_string(neighbours_) +
                " neighbours: there must be at least one, and more points than "
                "neighbours.");
  }
  for (std::int64_t i = 0; i < options.layers; ++i) {
    edges_.push_back(register_module("edge" + std::to_string(i),
                                     TwoLayers(2 * options.width, options.width, options.width)));
  }
}

Tensor EdgeConv::starts(const Tensor& h) const {
  const std::int64_t samples = h.size(1), points = h.size(2);
  const auto whole = torch::device(h.device()).dtype(torch::kLong);
  Tensor of_point;
  if (neighbours_ == points - 1) {
    // Row i: all but i.
    const Tensor all = torch::arange(points - 1, whole).unsqueeze(0);
    of_point = (all + (all >= torch::arange(points, whole).unsqueeze(1))).unsqueeze(0);
  } else {
    const Tensor place = h.detach().permute({1, 2, 0}).contiguous();
    Tensor distance = torch::cdist(place, place);
    distance.diagonal(0, 1, 2).fill_(std::numeric_limits<double>::infinity());
    of_point = std::get<1>(distance.topk(neighbours_, 2, /*largest=*/false));
  }
  return of_point + points * torch::arange(samples, whole).view({samples, 1, 1});
}

Tensor EdgeConv::convolve(std::size_t layer, const Tensor& h) {
  const std::int64_t width = h.size(0), samples = h.size(1), points = h.size(2);
  TwoLayers& edge = edges_[layer];
  const std::vector<Tensor> weight = edge->first->weight.split(width, 1);
  const Tensor nodes = h.flatten(1);
  const Tensor ends = torch::addmm(edge->first->bias.unsqueeze(1), weight[0] - weight[1], nodes);
  const Tensor from = torch::mm(weight[1], nodes).index_select(1, starts(h).flatten());
  const Tensor z = from.view({width, samples * points, neighbours_}) + ends.unsqueeze(2);
  const Tensor y = torch::mm(edge->second->weight, torch::leaky_relu(z, kLeakySlope).flatten(1));
  return y.view({width, samples, points, neighbours_}).amax(3) + edge->second->bias.view({width, 1, 1});
}

Tensor EdgeConv::predict(const Tensor& x) {
  const std::int64_t samples = x.size(0), points = scene().points;
  Tensor h = points_last(x).view({scene().inputs() / points, samples * points});
  h = affine(embed_, h).view({embed_->weight.size(0), samples, points});
  for (std::size_t layer = 0; layer < edges_.size(); ++layer) h = convolve(layer, h);
  h = affine(project_, h.flatten(1));
  return points_back(h.view({scene().steps_out * 3, scene().fields, samples, points}), scene().steps_out);
}

}  // namespace gcan::models
