#pragma once

#include <vector>

#include "gcan/sim/smoke/cosine.h"
#include "gcan/sim/smoke/state.h"

namespace gcan::sim::smoke {

// Makes the velocity free of divergence in the closed box by subtracting a pressure gradient, exactly (to
// rounding), without iteration. An object has scratch memory: one per thread.
//
// With q = p/dx the discrete problem has no unit: the sum over the neighbours inside the box of
// q(neighbour) - q(cell) equals the cell's outflow, whose mean over the box is removed first. Cosines
// diagonalise the x direction (zero normal gradient half a cell outside the first and last centre), which
// leaves for each wavenumber k a tridiagonal system along y with the diagonal 2 + 4 sin^2(pi k/(2N)),
// minus 1 at both ends. Its elimination factors are computed once. Compared with cosines in both
// directions this saves half of the transforms and all transpositions.
template <class Real>
class PressureSolver {
 public:
  explicit PressureSolver(int cells);

  void project(State<Real>& state);

  // Solves sum over neighbours (q(neighbour) - q(cell)) = field(cell) - mean for q, in place. q is fixed up
  // to a constant.
  void solve(Field<Real>& field);

 private:
  void solve_lines(Field<Real>& spectrum);

  int cells_;
  CosineTransform<Real> cosine_;
  Field<Real> field_;
  std::vector<Real> inverse_pivot_;  // [k / kLines][y][k % kLines]
  std::vector<Real> lines_;          // [y][k % kLines]: kLines systems side by side
};

}  // namespace gcan::sim::smoke
