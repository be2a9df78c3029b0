#include "gcan/sim/smoke/diffusion.h"

namespace gcan::sim::smoke {

template <class Real>
void diffuse(const Field<Real>& in, Real number, Field<Real>& out) {
  for (int i = 1; i + 1 < in.rows(); ++i) {
    const Real* below = in.row(i - 1);
    const Real* here = in.row(i);
    const Real* above = in.row(i + 1);
    Real* result = out.row(i);
    for (int j = 1; j + 1 < in.columns(); ++j) {
      const Real neighbours = (below[j] + above[j]) + (here[j - 1] + here[j + 1]);
      result[j] = here[j] + number * (neighbours - 4 * here[j]);
    }
  }
}

template void diffuse(const Field<float>&, float, Field<float>&);
template void diffuse(const Field<double>&, double, Field<double>&);

}  // namespace gcan::sim::smoke
