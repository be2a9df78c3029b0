#pragma once

#include <cstddef>
#include <vector>

namespace gcan::sim::smoke {

// The cosine transform (DCT-II) of the columns of a matrix with n rows,
//   X_k = sum_j x_j cos(pi k (2j+1)/(2n)),
// and its exact inverse, in place. n and the number of columns must be even; any even n works, prime
// factors above 5 cost time in proportion to the factor. An object has scratch memory: one per thread.
//
// Makhoul's algorithm (IEEE Trans. ASSP 28, 1980): a DCT of length n is an FFT of length n of the
// reordered column, and two real columns share a complex FFT as its real and imaginary part. Columns of
// the left and right half are paired, eight pairs at a time, so that every operation works on neighbouring
// numbers of a row: SIMD without transposition, in cache.
template <class Real>
class CosineTransform {
 public:
  explicit CosineTransform(int n);
  void forward(Real* matrix, int columns);
  void inverse(Real* matrix, int columns);

  // The tables, public for the code that is compiled once per instruction set.
  // One pass of the mixed-radix Stockham FFT: `radix` interleaved sub-transforms; twiddle(p, t), p < span,
  // 0 < t < radix, is exp(-2 pi i p t/(radix span)).
  struct Pass {
    int radix, span, stride;
    std::vector<Real> cosine, sine;            // of twiddle (p, t) at p*(radix-1) + t-1
    std::vector<Real> root_cosine, root_sine;  // exp(-2 pi i t/radix)
  };
  struct Plan {
    int n;
    std::vector<Pass> passes;
    std::vector<Real> cosine, sine;  // of pi k/(2n), k = 0..n/2
    // Two complex blocks of n rows with kBlock columns: real 0, imaginary 0, real 1, imaginary 1.
    std::vector<Real> scratch;
    Real* part(int i) {
      return scratch.data() + static_cast<std::size_t>(i) * static_cast<std::size_t>(n) * kBlock;
    }
  };
  static constexpr int kBlock = 8;

 private:
  Plan plan_;
};

}  // namespace gcan::sim::smoke
