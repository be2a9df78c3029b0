#include "gcan/sim/smoke/buoyancy.h"

namespace gcan::sim::smoke {

template <class Real>
void add_buoyancy(State<Real>& state, Real gain) {
  for (int i = 0; i < state.cells; ++i) {
    const Real* smoke = state.smoke.row(i);
    Real* v = state.velocity_y.row(i + 1);
    for (int j = 1; j < state.cells; ++j) v[j] += gain * (Real(0.5) * (smoke[j - 1] + smoke[j]));
  }
}

template void add_buoyancy(State<float>&, float);
template void add_buoyancy(State<double>&, double);

}  // namespace gcan::sim::smoke
