#pragma once

#include <vector>

#include "gcan/sim/shallow_water/aligned.h"

namespace gcan::sim::shallow_water {

// True if the transform along a circle of `n` longitudes exists here: n = 2^a 3^b 5^c.
bool fft_supports(int n);

// Fourier transforms along the latitude circles of one band, all latitudes of the band at once, one per
// lane of a register. Each northern circle travels with its southern mirror image as real and imaginary
// part of one complex transform, z = north + i south, so that no transform of real data is needed.
// Mixed radix 2, 3, 4, 5, in place: the way to the grid decimates in time (permuted in, ordered out), the
// way back is its transpose and decimates in frequency, so that the permutation happens where the few
// wavenumbers are copied in or out anyway.
template <typename T>
class FftPlan {
 public:
  explicit FftPlan(int n);

  // fourier: per order four lines (see FourierShape) -> rows: per longitude the northern line, the southern
  // line.
  void to_grid(int orders, const T* fourier, T* rows) const;
  // The reverse without normalisation: `fourier` receives twice n times the coefficients' even and odd parts;
  // destroys rows.
  void to_fourier(int orders, T* rows, T* fourier) const;

  struct Stage {
    int radix;
    int span;           // product of the radices of the stages before
    Array<T> twiddles;  // for each k < span and 1 <= j < radix: cos, sin of 2 pi j k / (span radix)
  };

 private:
  int n_;
  std::vector<Stage> stages_;
  std::vector<int> place_;  // where wavenumber k lies in the permuted order
};

extern template class FftPlan<float>;
extern template class FftPlan<double>;

}  // namespace gcan::sim::shallow_water
