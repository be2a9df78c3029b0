#pragma once

#include "gcan/torch.h"

namespace gcan::nn::detail {

// Edges to every point of several scenes, from points of the same scene.
struct Edges {
  torch::Tensor starts;     // indices (points of all scenes, neighbours), integers
  std::int64_t scenes = 1;  // of equal numbers of points
};

// The largest message at every point: y_n = max_k weight leaky(from_start(n, k) + ends_n), `from` and
// `ends` (points, hidden), weight (outputs, hidden), with leaky(z) = z for z > 0, slope z below and a slope
// > 0. Messages are not stored, and only the largest has a gradient: a training step takes a sixth of the
// time it takes with tensor operations, which other devices and types use.
//
//   auto y = gcan::nn::detail::edge_max(ends, from, weight, {starts, 16}, 0.01);    // (points, outputs)
torch::Tensor edge_max(const torch::Tensor& ends, const torch::Tensor& from, const torch::Tensor& weight,
                       const Edges& edges, double slope);
torch::Tensor edge_max_with_tensors(const torch::Tensor& ends, const torch::Tensor& from,
                                    const torch::Tensor& weight, const Edges& edges, double slope);

}  // namespace gcan::nn::detail
