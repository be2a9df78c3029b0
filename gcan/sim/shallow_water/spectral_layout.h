#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "gcan/sim/aligned.h"

namespace gcan::sim::shallow_water {

// The position of the coefficient of degree l and order m. For each order the degrees m, m+2, m+4, ... (even
// about the equator) come first, then m+1, m+3, ... (odd), each run padded with zeros to whole lines of T.
// Splitting by parity halves the Legendre transform and leaves every loop with unit stride: the neighbours
// l-1 and l+1, which the meridional derivative couples, are at the same position of the other run, or next to
// it. Degrees go to T + 1, one beyond the truncation of scalars, because winds need it.
struct SpectralLayout {
  // `line`: numbers of the scalar type in a line.
  SpectralLayout(int truncation, int line);

  int truncation;           // largest degree and order T of a scalar field [1]
  int orders;               // T + 1 [1]
  int size;                 // real numbers per field and part (real or imaginary), padding included
  std::vector<int> offset;  // start of the even run of order m
  std::vector<int> run;     // padded length of each of the two runs of order m

  int index(int l, int m) const {
    const auto at = static_cast<std::size_t>(m);
    return offset[at] + ((l - m) % 2) * run[at] + (l - m) / 2;
  }
  // Degrees in the even (parity 0) or odd (parity 1) run of order m, up to T + 1.
  int count(int m, int parity) const { return (truncation + 3 - m - parity) / 2; }
};

// Coefficients of one real field, f = sum_lm a_lm Y_lm with orthonormal Y_lm and the Condon-Shortley sign,
// kept for m >= 0: real parts, then imaginary parts, each in the order of the layout.
template <typename T>
class SpectralField {
 public:
  explicit SpectralField(const SpectralLayout& layout)
      : size_(static_cast<std::size_t>(layout.size)), values_(2 * size_, T(0)) {}
  T* re() { return values_.data(); }
  T* im() { return values_.data() + size_; }
  const T* re() const { return values_.data(); }
  const T* im() const { return values_.data() + size_; }
  std::span<const T> values() const { return values_; }

  std::complex<double> get(const SpectralLayout& layout, int l, int m) const {
    const auto i = static_cast<std::size_t>(layout.index(l, m));
    return {static_cast<double>(values_[i]), static_cast<double>(values_[size_ + i])};
  }
  void set(const SpectralLayout& layout, int l, int m, std::complex<double> value) {
    const auto i = static_cast<std::size_t>(layout.index(l, m));
    values_[i] = static_cast<T>(value.real());
    values_[size_ + i] = static_cast<T>(value.imag());
  }

 private:
  std::size_t size_;
  Array<T> values_;
};

}  // namespace gcan::sim::shallow_water
