#pragma once

#include "gcan/sim/shallow_water/spectral_layout.h"

namespace gcan::sim::shallow_water {

// The derivatives that tie winds to vorticity and divergence, in spectral space on a sphere of given radius.
// With eps_lm of legendre.h, U = u cos(lat), V = v cos(lat), vorticity zeta and divergence D:
//   U_l = R (-i m/(l(l+1)) D_l + eps_(l+1)/(l+1) zeta_(l+1) - eps_l/l zeta_(l-1))
//   V_l = R (-i m/(l(l+1)) zeta_l - eps_(l+1)/(l+1) D_(l+1) + eps_l/l D_(l-1))
// and for a flux whose components divided by cos(lat) have coefficients A (east) and B (north):
//   div_l  = (i m A_l - (l+1) eps_l B_(l-1) + l eps_(l+1) B_(l+1)) / R
//   curl_l = (i m B_l + (l+1) eps_l A_(l-1) - l eps_(l+1) A_(l+1)) / R
template <typename T>
struct WindOperators {
  WindOperators(const SpectralLayout& layout, double radius);
  // Per row of the layout, zero in padding; the last three also zero at degree T + 1.
  Array<T> wind_order;  // R m / (l (l+1)) [m]
  Array<T> wind_above;  // R eps_(l+1) / (l+1), zero where l + 1 > T [m]
  Array<T> wind_below;  // R eps_l / l [m]
  Array<T> flux_order;  // m / R [1/m]
  Array<T> flux_above;  // l eps_(l+1) / R [1/m]
  Array<T> flux_below;  // (l+1) eps_l / R [1/m]
};

// Two complex fields of the layout: real and imaginary parts of a, then of b, at a distance of layout.size.
// vorticity and divergence (1/s) -> U and V (m/s).
void wind_from_vorticity_divergence(const SpectralLayout& layout, const WindOperators<float>& operators,
                                    const float* vorticity, const float* divergence, float* wind);
void wind_from_vorticity_divergence(const SpectralLayout& layout, const WindOperators<double>& operators,
                                    const double* vorticity, const double* divergence, double* wind);
// A and B -> divergence and curl (not computed if null).
void divergence_and_curl(const SpectralLayout& layout, const WindOperators<float>& operators,
                         const float* flux, float* divergence, float* curl);
void divergence_and_curl(const SpectralLayout& layout, const WindOperators<double>& operators,
                         const double* flux, double* divergence, double* curl);

extern template struct WindOperators<float>;
extern template struct WindOperators<double>;

}  // namespace gcan::sim::shallow_water
