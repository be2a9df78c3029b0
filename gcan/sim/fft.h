#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gcan/sim/aligned.h"

namespace gcan::sim {

// Complex Fourier transforms of any length, of many lines at once: each point of the data is a line of real
// parts followed by a line of imaginary parts (aligned.h), and all arithmetic is on whole lines, without
// transposition. fft-inl.h runs a plan.
//
// In place, with radices 4, 2, 3 and 5, and by definition for other prime factors. The forward transform,
// with exp(-2 pi i j k / n), decimates in frequency and leaves wavenumber k at places()[k]; the backward
// transform, with exp(+2 pi i j k / n), is its transpose and expects it there. So the permutation is free for
// callers that copy wavenumbers in or out. Neither is normalised.
template <typename T>
class FftPlan {
 public:
  explicit FftPlan(int n);

  struct Stage {
    int radix;
    int span;           // product of the radices of the previous stages
    Array<T> twiddles;  // for each k < span and 1 <= j < radix: cos, sin of 2 pi j k / (span radix)
    Array<T> roots;     // for each j < radix: cos, sin of 2 pi j / radix
  };

  [[nodiscard]] int size() const { return n_; }
  [[nodiscard]] std::span<const Stage> stages() const { return stages_; }
  [[nodiscard]] std::span<const int> places() const { return places_; }
  // The size of the data.
  [[nodiscard]] std::size_t numbers() const { return static_cast<std::size_t>(n_) * 2 * kLine<T>; }

 private:
  int n_;
  std::vector<Stage> stages_;
  std::vector<int> places_;
};

extern template class FftPlan<float>;
extern template class FftPlan<double>;

}  // namespace gcan::sim
