#pragma once

#include "gcan/base/random.h"
#include "gcan/sim/shallow_water/model.h"

namespace gcan::sim::shallow_water {

// Advances the random vorticity source of a state by one time step: each coefficient of the stirred degrees
// is an Ornstein-Uhlenbeck process, S <- a S + sqrt(1 - a^2) sigma xi with a = exp(-dt / stirring_time), so
// that the field has the standard deviation Options::forcing.stirring whatever the time step (Vallis et al.
// 2004).
template <typename T>
void stir(const Model<T>& model, State<T>& state, base::Random& random);

extern template void stir<float>(const Model<float>&, State<float>&, base::Random&);
extern template void stir<double>(const Model<double>&, State<double>&, base::Random&);

}  // namespace gcan::sim::shallow_water
