#pragma once

// Edge convolutions with a maximum (Wang et al. 2019) on the CPU: for every point the largest of its edges'
// outputs, y[n, c] = max_k sum_h weight[c, h] z[n, k, h] with z[n, k] = leaky(from[start k of n] + ends[n]).
// Neither z nor the outputs of the edges leave the caches.

#include <cstddef>
#include <cstdint>

namespace gcan::kernels {

struct EdgeSet {
  const float* from = nullptr;           // (points, hidden)
  const float* ends = nullptr;           // (points, hidden)
  const std::int64_t* starts = nullptr;  // (points, neighbours)
  std::size_t neighbours = 0, hidden = 0, outputs = 0;
  float slope = 0;  // of the leaky rectifier below zero; positive
};

// The weights (outputs, hidden) in the order in which edge_maximum() multiplies with them: `packed` is
// aligned to 64 bytes and has edge_packed_size() numbers.
std::size_t edge_packed_size(const EdgeSet& edges);
void edge_pack(const EdgeSet& edges, const float* weight, float* packed);

// y of the points [first, last), (points, outputs), and which of the edges it is: the first among equals, and
// the first that is not a number, where there is one.
void edge_maximum(const EdgeSet& edges, const float* packed, std::size_t first, std::size_t last,
                  float* largest, std::int32_t* which);

struct EdgeMaxGradients {
  const float* maxima = nullptr;        // given: of the maxima, (points, outputs)
  const std::int32_t* which = nullptr;  // given: (points, outputs)
  const float* weight = nullptr;        // given: (outputs, hidden)
  // Wanted; all are added to.
  float* from = nullptr;
  float* ends = nullptr;
  float* weights = nullptr;
};

// Of the points [first, last). Only the edge that was largest has a slope, so this is an edge's work for each
// output of a point, where the products had it for each output of each edge.
void edge_max_gradient(const EdgeSet& edges, const EdgeMaxGradients& gradients, std::size_t first,
                       std::size_t last);

}  // namespace gcan::kernels
