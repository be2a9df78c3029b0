#pragma once

#include <vector>

#include "gcan/sim/shallow_water/model.h"

namespace gcan::sim::shallow_water {

// Area means of the quantities that the equations conserve (without diffusion, drag, forcing and relaxation).
struct Budget {
  double eta;        // mean surface displacement, exact [m]
  double energy;     // h |u|^2 / 2 + g (s^2 - Hb^2) / 2, s the surface height eta + H0 [m^3/s^2]
  double enstrophy;  // potential: (zeta + f)^2 / (2 h) [1/(m s^2)]
};

// Mean over the sphere of a field on the grid, by the grid's own quadrature.
double area_mean(const GaussLegendre& rule, const std::vector<double>& field);

template <typename T>
Budget budget(const Model<T>& model, const GridFields& fields);

// sqrt(sum over the sphere of (a - b)^2 / sum of b^2).
double relative_l2(const GaussLegendre& rule, const std::vector<double>& a, const std::vector<double>& b);

extern template Budget budget<float>(const Model<float>&, const GridFields&);
extern template Budget budget<double>(const Model<double>&, const GridFields&);

}  // namespace gcan::sim::shallow_water
