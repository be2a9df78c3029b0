#pragma once

#include <vector>

#include "gcan/sim/aligned.h"
#include "gcan/sim/shallow_water/gauss_legendre.h"
#include "gcan/sim/shallow_water/spectral_layout.h"

namespace gcan::sim::shallow_water {

// eps_lm = sqrt((l^2 - m^2) / (4 l^2 - 1)), the factor of sin(latitude) Y_lm = eps_(l+1) Y_(l+1) + eps_l
// Y_(l-1).
double epsilon(int l, int m);

// Associated Legendre functions of order m at x = sin(latitude) for degrees m .. last, normalised such that
// Y_lm = P_lm(x) exp(i m lon) is orthonormal on the sphere, with the Condon-Shortley sign (-1)^m.
std::vector<long double> associated_legendre(int m, int last, long double x);

// The tables of both Legendre transforms for the northern latitudes (the southern ones follow from parity).
// Latitudes are grouped in bands of one line of T, and bands in chunks of up to three, the number of
// accumulators that fit into the registers of a 512-bit machine beside the eight numbers of four fields.
template <typename T>
struct LegendreTables {
  LegendreTables(const SpectralLayout& layout, const GaussLegendre& rule, int longitudes);

  struct Chunk {
    int first_band;
    int bands;
    // P by [row of the layout][latitude of the chunk]: synthesis runs along latitudes.
    Array<T> synthesis;
    // P times quadrature weight by [order][parity][latitude of the chunk][degree of the run]: analysis runs
    // along degrees, so that neither direction ever sums over the lanes of a register and the result does
    // not depend on the width of the machine's registers. Padding latitudes have weight zero.
    Array<T> analysis;
  };

  static constexpr int kBandsPerChunk = 3;
  int bands;  // lines of northern latitudes, the last one padded
  std::vector<Chunk> chunks;
};

extern template struct LegendreTables<float>;
extern template struct LegendreTables<double>;

}  // namespace gcan::sim::shallow_water
