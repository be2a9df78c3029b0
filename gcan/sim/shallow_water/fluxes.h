#pragma once

#include "gcan/sim/aligned.h"

namespace gcan::sim::shallow_water {

// Constants of one band for the products on the grid.
template <typename T>
struct BandGeometry {
  Array<T> coriolis;      // f at the northern latitudes; the southern have the opposite sign [1/s]
  Array<T> inverse_cos2;  // 1 / cos^2(latitude) [1]
  Array<T> rest_depth;    // H0 - Hb in the rows of the band [m]
};

// The nonlinear terms of one band. In: rows[0..3] = vorticity, eta, U, V. Out: rows[0..4] = the absolute
// vorticity flux (zeta + f)(u, v) / cos(lat), the mass flux h (u, v) / cos(lat), the kinetic energy
// (u^2 + v^2) / 2; with h = eta + H0 - Hb.
void fluxes(const BandGeometry<float>& geometry, int longitudes, float* const rows[5]);
void fluxes(const BandGeometry<double>& geometry, int longitudes, double* const rows[5]);

}  // namespace gcan::sim::shallow_water
