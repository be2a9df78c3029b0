#pragma once

#include "gcan/sim/shallow_water/legendre.h"
#include "gcan/sim/shallow_water/spectral_layout.h"

namespace gcan::sim::shallow_water {

// Fourier coefficients of the bands of one chunk: by field, band, order, then four lines: the real and
// imaginary part of the half that is even about the equator, and those of the odd half.
struct FourierShape {
  int orders;
  int line;
  int order_stride() const { return 4 * line; }
  int band_stride() const { return orders * order_stride(); }
  int field_stride(int bands) const { return bands * band_stride(); }
};

// Numbers (twice the fields) that one call transforms; spectral number q lies at spectral + q * layout.size,
// q = 2 field + (0 real, 1 imaginary).
void legendre_synthesis(const SpectralLayout& layout, const LegendreTables<float>::Chunk& chunk, int numbers,
                        const float* spectral, float* fourier);
void legendre_synthesis(const SpectralLayout& layout, const LegendreTables<double>::Chunk& chunk, int numbers,
                        const double* spectral, double* fourier);

// Adds the chunk's part of the integral over latitudes, or sets it if `first`.
void legendre_analysis(const SpectralLayout& layout, const LegendreTables<float>::Chunk& chunk, int numbers,
                       const float* fourier, float* spectral, bool first);
void legendre_analysis(const SpectralLayout& layout, const LegendreTables<double>::Chunk& chunk, int numbers,
                       const double* fourier, double* spectral, bool first);

}  // namespace gcan::sim::shallow_water
