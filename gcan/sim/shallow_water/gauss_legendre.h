#pragma once

#include <vector>

namespace gcan::sim::shallow_water {

// Gauss-Legendre quadrature on [-1, 1]: exact for polynomials of degree 2 n - 1, which makes the spherical
// harmonic analysis of a product of two fields exact when 3 T + 1 <= 2 n.
struct GaussLegendre {
  std::vector<double> nodes;    // descending, so that sin(latitude) runs from north to south; [1]
  std::vector<double> weights;  // they sum to 2; [1]
};

GaussLegendre gauss_legendre(int n);

}  // namespace gcan::sim::shallow_water
