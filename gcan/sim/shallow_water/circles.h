#pragma once

#include "gcan/sim/fft.h"

namespace gcan::sim::shallow_water {

// Fourier transforms along the latitude circles of one band, all latitudes of the band at once, one per lane
// of a register. Each northern circle is combined with its southern mirror image as real and imaginary part
// of one complex transform, z = north + i south, so no transform of real data is needed.

// fourier: per order four lines (see FourierShape) -> rows: per longitude the northern line, the southern
// line.
void circles_to_grid(const FftPlan<float>& plan, int orders, const float* fourier, float* rows);
void circles_to_grid(const FftPlan<double>& plan, int orders, const double* fourier, double* rows);

// The inverse without normalisation: `fourier` receives 4 n times the coefficients' even and odd parts;
// destroys rows.
void grid_to_circles(const FftPlan<float>& plan, int orders, float* rows, float* fourier);
void grid_to_circles(const FftPlan<double>& plan, int orders, double* rows, double* fourier);

}  // namespace gcan::sim::shallow_water
