#pragma once

// Sums of messages over the edges of complete graphs without self loops, on the CPU. An edge's value is a
// function of a term of its end i and a term of its start j: a kernel computes it from the two nodes' terms,
// adds it to the sum, and stores no edges.
//
// Features are (channels, lines, samples, points). A line is a blade; without multivectors there is one line.
// Functions process the channels [begin, end), or the samples of leaky_sum_*, so that the caller can divide
// them among threads. All samples of a channel together, because their points are consecutive in memory.

#include <cstddef>
#include <span>

namespace gcan::kernels {

struct Graphs {
  std::size_t channels = 0;
  std::size_t lines = 1;
  std::size_t samples = 0;
  std::size_t points = 0;

  // Where the points of one line begin.
  [[nodiscard]] std::size_t at(std::size_t channel, std::size_t line, std::size_t sample) const {
    return ((channel * lines + line) * samples + sample) * points;
  }
};

// Both terms of the nodes in one tensor (channels, lines / together, 2, together, samples, points), the
// layout of the matrix product that computes them.
struct BothTerms {
  Graphs graphs;
  std::size_t together = 1;

  [[nodiscard]] std::size_t at(std::size_t channel, std::size_t line, std::size_t sample) const {
    return graphs.at(2 * channel, 2 * line - line % together, sample);
  }
  // The distance from the first term to the second.
  [[nodiscard]] std::size_t distance() const { return together * graphs.samples * graphs.points; }
};

// y_i = sum_(j != i) MSiLU(a_i + b_j): the gate of gate.h on the sum of both terms, so that its linear form
// is a sum too, f = (bias + w a_i) + w b_j, and y_i = a_i sum_j sigmoid(f_ij) + sum_j sigmoid(f_ij) b_j.
template <class T>
struct GatedSum {
  Graphs graphs;
  std::size_t together = 1;  // lines that lie together in BothTerms
  std::size_t gates = 1;
  std::span<const std::size_t> gate_of;  // for each line
  const T* weight = nullptr;             // (channels, gates, lines)
  const T* bias = nullptr;               // (channels, gates)

  // The number of sums per sample and channel in the backward pass, as for Gate in gate.h.
  [[nodiscard]] std::size_t sums_per_row() const { return gates * (graphs.lines + 1); }
};

template <class T>
void gated_sum_forward(const GatedSum<T>& sum, std::size_t begin, std::size_t end, const T* both, T* y);

// Writes dboth and, into sums (samples, channels, gates, lines + 1), each sample's contribution to the
// gradients of weight and bias, which the caller adds.
template <class T>
void gated_sum_backward(const GatedSum<T>& sum, std::size_t begin, std::size_t end, const T* both,
                        const T* dy, T* dboth, double* sums);

// y_i = sum_(j != i) leaky(a_i + b_j + c d_ji), leaky(z) = z for z > 0 and slope z below; lines = 1.
template <class T>
struct LeakySum {
  Graphs graphs;
  T slope = 0;                  // from 0 to 1
  const T* distance = nullptr;  // (samples, points j, points i), or null
  const T* weight = nullptr;    // c (channels), with distances
};

template <class T>
void leaky_sum_forward(const LeakySum<T>& sum, std::size_t begin, std::size_t end, const T* a, const T* b,
                       T* y);

// Writes da and db and, with distances, each sample's contribution to dc into sums (samples, channels) and,
// unless it is null, the gradient of the distances.
template <class T>
void leaky_sum_backward(const LeakySum<T>& sum, std::size_t begin, std::size_t end, const T* a, const T* b,
                        const T* dy, T* da, T* db, double* sums, T* ddistance);

}  // namespace gcan::kernels
