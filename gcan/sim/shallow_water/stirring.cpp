#include "gcan/sim/shallow_water/stirring.h"

#include <cmath>
#include <complex>
#include <numbers>

namespace gcan::sim::shallow_water {

template <typename T>
void stir(const Model<T>& model, State<T>& state, base::Random& random) {
  const Forcing& f = model.options().forcing;
  if (f.stirring <= 0) return;
  // At step 0 there is no past: start in the stationary distribution.
  const double memory = state.step == 0 ? 0 : std::exp(-model.options().time_step / f.stirring_time);
  const int last = f.stirring_last + 1;
  const int modes = last * last - f.stirring_first * f.stirring_first;
  const double sigma =
      std::sqrt((1 - memory * memory) * 4 * std::numbers::pi / static_cast<double>(modes)) * f.stirring;
  for (int l = f.stirring_first; l <= f.stirring_last; ++l) {
    for (int m = 0; m <= l; ++m) {
      const double re = random.normal();
      const double im = m == 0 ? 0 : random.normal();
      const double part = m == 0 ? sigma : sigma / std::numbers::sqrt2;
      const auto old = state.forcing.get(model.layout(), l, m);
      state.forcing.set(model.layout(), l, m, memory * old + part * std::complex<double>(re, im));
    }
  }
}

template void stir<float>(const Model<float>&, State<float>&, base::Random&);
template void stir<double>(const Model<double>&, State<double>&, base::Random&);

}  // namespace gcan::sim::shallow_water
