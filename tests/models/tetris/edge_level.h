#pragma once

// The graph networks as in the paper, with every edge's message materialised: the reference for tests and
// benchmarks.

#include <memory>
#include <string>

#include "gcan/models/tetris/gca_gnn.h"
#include "gcan/models/tetris/gnn.h"

namespace gcan::test {

using torch::Tensor;

template <class Holder>
Holder part(const models::Network& network, const std::string& name) {
  return Holder(std::dynamic_pointer_cast<typename Holder::ContainedType>(network.named_modules()[name]));
}

inline bool has_part(const models::Network& network, const std::string& name) {
  return network.named_modules().contains(name);
}

// (N, P, ...) -> (N, P, P - 1, ...): for each point i all others, j.
inline Tensor others(const Tensor& h) {
  const std::int64_t points = h.size(1);
  std::vector<std::int64_t> index;
  for (std::int64_t i = 0; i < points; ++i) {
    for (std::int64_t j = 0; j < points; ++j) {
      if (i != j) index.push_back(j);
    }
  }
  return h.index_select(1, torch::tensor(index)).unflatten(1, {points, points - 1});
}

// Each point once for every edge to it.
inline Tensor own(const Tensor& h) {
  std::vector<std::int64_t> sizes = h.unsqueeze(2).sizes().vec();
  sizes[2] = h.size(1) - 1;
  return h.unsqueeze(2).expand(sizes);
}

// phi on multivectors (..., channels, 3), by the layers' own forward.
inline Tensor two_layers(const models::GcaTwoLayers& phi, const Tensor& x) {
  nn::GcaLinear first = phi->first, second = phi->second;
  nn::MSiLU gate = phi->gate;
  const Tensor rows = x.reshape({-1, x.size(-2), 3});
  const Tensor y = second(gate(first(rows)));
  std::vector<std::int64_t> sizes = x.sizes().vec();
  sizes[sizes.size() - 2] = y.size(1);
  return y.view(sizes);
}

// GcaGnn on positions.
inline Tensor gca_gnn_by_edges(const models::Network& network, const Tensor& x) {
  // (N, points, steps, 3)
  Tensor h = part<nn::GcaLinear>(network, "embed")(x.select(1, 0).transpose(1, 2).contiguous());
  for (int i = 0; has_part(network, "message" + std::to_string(i)); ++i) {
    const auto message = part<models::GcaTwoLayers>(network, "message" + std::to_string(i));
    const auto update = part<models::GcaTwoLayers>(network, "update" + std::to_string(i));
    const Tensor m = two_layers(message, torch::cat({own(h), others(h)}, 3)).sum(2);
    h = two_layers(update, torch::cat({h, m}, 2));
  }
  return part<nn::GcaLinear>(network, "project")(h).transpose(1, 2).unsqueeze(1);
}

inline Tensor two_layers(const models::TwoLayers& phi, const Tensor& x) {
  torch::nn::Linear first = phi->first, second = phi->second;
  return second(torch::leaky_relu(first(x), models::kLeakySlope));
}

// Gnn, with or without velocities and distances.
inline Tensor gnn_by_edges(const models::Network& network, const Tensor& x, bool distances) {
  const std::int64_t samples = x.size(0), points = x.size(3), steps = x.size(2), fields = x.size(1);
  // (N, points, steps * 3 * fields)
  Tensor h = part<torch::nn::Linear>(network, "embed")(x.permute({0, 3, 2, 4, 1}).flatten(2));
  Tensor distance;
  if (distances) {
    const Tensor position = x.select(1, 0).select(1, steps - 1);
    distance = (own(position) - others(position)).norm(2, {3}, true);
  }
  for (int i = 0; has_part(network, "message" + std::to_string(i)); ++i) {
    const auto message = part<models::TwoLayers>(network, "message" + std::to_string(i));
    const auto update = part<models::TwoLayers>(network, "update" + std::to_string(i));
    Tensor ends = torch::cat({own(h), others(h)}, 3);
    if (distances) ends = torch::cat({ends, distance}, 3);
    h = two_layers(update, torch::cat({h, two_layers(message, ends).sum(2)}, 2));
  }
  const Tensor y = part<torch::nn::Linear>(network, "project")(h);
  return y.view({samples, points, -1, 3, fields}).permute({0, 4, 2, 1, 3});
}

}  // namespace gcan::test
