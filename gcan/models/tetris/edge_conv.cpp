#include "gcan/models/tetris/edge_conv.h"

#include "gcan/base/error.h"
#include "gcan/nn/detail/edge_max.h"

namespace gcan::models {

using torch::Tensor;

EdgeConvImpl::EdgeConvImpl(const EdgeConvOptions& options_)
    : CloneableNetwork(options_.title(), options_.scene()),
      options(options_),
      neighbours_(options_.neighbours() == 0 ? scene().points - 1 : options_.neighbours()),
      embed_(register_module("embed", torch::nn::Linear(scene().inputs() / scene().points, options.width()))),
      project_(register_module("project",
                               torch::nn::Linear(options.width(), scene().outputs() / scene().points))) {
  if (neighbours_ < 1 || neighbours_ >= scene().points) {
    throw Error(title() + " of " + std::to_string(scene().points) + " points cannot have " +
                std::to_string(neighbours_) +
                " neighbours: there must be at least one, and more points than "
                "neighbours");
  }
  for (std::int64_t i = 0; i < options.layers(); ++i) {
    edges_.push_back(register_module("edge" + std::to_string(i),
                                     TwoLayers(2 * options.width(), options.width(), options.width())));
  }
}

Tensor EdgeConvImpl::starts(const Tensor& h, std::int64_t samples) const {
  const std::int64_t points = scene().points;
  const auto whole = torch::device(h.device()).dtype(torch::kLong);
  Tensor of_point;
  if (neighbours_ == points - 1) {
    // Row i contains all points except i.
    const Tensor all = torch::arange(points - 1, whole).unsqueeze(0);
    of_point = (all + (all >= torch::arange(points, whole).unsqueeze(1))).unsqueeze(0);
  } else {
    const Tensor place = h.detach().reshape({samples, points, h.size(1)});
    Tensor distance = torch::cdist(place, place);
    distance.diagonal(0, 1, 2).fill_(std::numeric_limits<double>::infinity());
    of_point = std::get<1>(distance.topk(neighbours_, 2, /*largest=*/false));
  }
  return (of_point + points * torch::arange(samples, whole).view({samples, 1, 1}))
      .view({samples * points, neighbours_});
}

Tensor EdgeConvImpl::convolve(std::size_t layer, const Tensor& h, std::int64_t samples) {
  TwoLayers& edge = edges_[layer];
  const std::vector<Tensor> weight = edge->first->weight.split(h.size(1), 1);
  const Tensor ends = torch::addmm(edge->first->bias, h, (weight[0] - weight[1]).t());
  const Tensor from = torch::mm(h, weight[1].t());
  return nn::detail::edge_max(ends, from, edge->second->weight, {starts(h, samples), samples}, kLeakySlope) +
         edge->second->bias;
}

Tensor EdgeConvImpl::predict(const Tensor& x) {
  const std::int64_t samples = x.size(0), points = scene().points;
  Tensor h = embed_(points_last(x).view({scene().inputs() / points, samples * points}).t());
  for (std::size_t layer = 0; layer < edges_.size(); ++layer) h = convolve(layer, h, samples);
  h = affine(project_, h.t());
  return points_back(h.view({scene().steps_out * 3, scene().fields, samples, points}), scene().steps_out);
}

}  // namespace gcan::models
