#pragma once

#include <vector>

#include "gcan/sim/fft.h"

namespace gcan::sim::smoke {

// The cosine transform (DCT-II) of the columns of a matrix with n rows,
//   X_k = sum_j x_j cos(pi k (2j+1)/(2n)),
// and its exact inverse, in place. n and the number of columns must be even; any even n works, prime
// factors above 5 cost time in proportion to the factor. An object has scratch memory: one per thread.
//
// Makhoul's algorithm (IEEE Trans. ASSP 28, 1980): a DCT of length n is an FFT of length n of the
// reordered column, and two real columns share a complex FFT as its real and imaginary part. Columns of
// the left and right half are paired, a line of pairs at a time, so that every operation works on
// neighbouring numbers of a row: SIMD without transposition, in cache.
template <class Real>
class CosineTransform {
 public:
  explicit CosineTransform(int n);
  void forward(Real* matrix, int columns);
  void inverse(Real* matrix, int columns);

  // Public for the code that is compiled once per instruction set.
  struct Plan {
    FftPlan<Real> fft;
    std::vector<Real> cosine, sine;  // of pi k/(2n), k = 0..n/2
    Array<Real> points;              // the data of the FFT
  };

 private:
  Plan plan_;
};

}  // namespace gcan::sim::smoke
