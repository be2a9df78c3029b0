#pragma once

// Edge convolutions with a maximum (Wang et al. 2019) on the CPU: for every point the largest of its edges'
// outputs, y[n, c] = max_k sum_h weight[c, h] z[n, k, h] with z[n, k] = leaky(from[start k of n] + ends[n]).
// The caller computes the products with the weights, which are matrix products.

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

// Computes z for the edges to the points [first, last): (last - first, neighbours, hidden).
void edge_hidden(const EdgeSet& edges, std::size_t first, std::size_t last, float* z);

// The maxima of (points, neighbours, outputs) over the neighbours, and their indices: the first of equal
// values, or the first NaN if there is one.
void edge_maximum(const EdgeSet& edges, std::size_t points, const float* lines, float* largest,
                  std::int32_t* which);

struct EdgeMaxGradients {
  const float* maxima = nullptr;        // given: of the maxima, (points, outputs)
  const std::int32_t* which = nullptr;  // given: (points, outputs)
  const float* weight = nullptr;        // given: (outputs, hidden)
  // Wanted; all are added to.
  float* from = nullptr;
  float* ends = nullptr;
  float* weights = nullptr;
};

// For the points [first, last). Only the maximal edge has a gradient, so the work is one edge per output of a
// point, while the products need every edge.
void edge_max_gradient(const EdgeSet& edges, const EdgeMaxGradients& gradients, std::size_t first,
                       std::size_t last);

}  // namespace gcan::kernels
