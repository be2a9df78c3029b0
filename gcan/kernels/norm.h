#pragma once

// The GCA normalisation on the CPU, alone or followed by the MSiLU gate. Per sample and group of channels,
//   y_b = weight_ck inverse_k (x_b - mean_b) + bias_cb,   k = grade_of[b],
// where mean_b is the mean of blade b over the group's channels and positions and 1 / inverse_k the mean norm
// of the grade-k part (of x itself, or of x - mean). The caller computes these statistics from the sums of
// the rows: they are few numbers and must not depend on the division of rows among threads.
//
// Passes over main memory: forward reads x twice (three times for the norm of x - mean) and writes y;
// backward reads x and dy twice and writes dx. The gate adds no passes: the features between norm and gate
// are recomputed in cache and never stored.
//
// Rows are as in gate.h; the group of a row, counted over samples and groups, is row / channels_per_group.

#include <cstddef>
#include <span>

#include "gcan/kernels/divisor.h"
#include "gcan/kernels/gate.h"

namespace gcan::kernels {

template <class T>
struct Norm {
  std::size_t channels = 0;
  std::size_t channels_per_group = 0;
  std::size_t blades = 0;
  std::size_t grades = 0;
  std::size_t space = 0;
  std::span<const std::size_t> grade_of;  // for each blade
  Divisor divisor = Divisor::mean_norm;
  const T* mean = nullptr;     // (samples, groups, blades)
  const T* inverse = nullptr;  // (samples, groups, grades)
  const T* weight = nullptr;   // (channels, grades)
  const T* bias = nullptr;     // (channels, blades), or null

  [[nodiscard]] std::size_t forward_sums() const { return blades + grades; }
  [[nodiscard]] std::size_t backward_sums() const { return 2 * blades + grades; }
};

// sums (row, blades + grades): of x_b; of |x|_k if that is the divisor, else 0.
template <class T>
void norm_sums(const Norm<T>& norm, std::size_t begin, std::size_t end, const T* x, double* sums);

// sums (row, grades): of |x - mean|_k.
template <class T>
void norm_distances(const Norm<T>& norm, std::size_t begin, std::size_t end, const T* x, double* sums);

// `gate` may be null: the norm alone.
template <class T>
void norm_forward(const Norm<T>& norm, const Gate<T>* gate, std::size_t begin, std::size_t end, const T* x,
                  T* y);

// With g the gradient of the norm's output (the gate's input): sums (row, 2 blades + grades) of g_b; of the
// direction (x - mean)_b / |x - mean|_k if the divisor is the centred norm, else 0; and of g_b (x - mean)_b
// over the blades of each grade. gate_sums as in gate_backward.
template <class T>
void norm_backward_sums(const Norm<T>& norm, const Gate<T>* gate, std::size_t begin, std::size_t end,
                        const T* x, const T* dy, double* sums, double* gate_sums);

// dx_b = weight_ck inverse_k g_b + shift_b + pull_k u_b / |u|_k, where u is the vector whose norm divides (0
// has the direction 0); shift (samples, groups, blades) and pull (samples, groups, grades).
template <class T>
void norm_backward(const Norm<T>& norm, const Gate<T>* gate, std::size_t begin, std::size_t end, const T* x,
                   const T* dy, const T* shift, const T* pull, T* dx);

}  // namespace gcan::kernels
