#pragma once

#include <string>
#include <vector>

#include "gcan/base/random.h"
#include "gcan/sim/shallow_water/model.h"

namespace gcan::sim::shallow_water {

// The initial state of a trajectory and its random parameters, for the file.
template <typename T>
struct Start {
  Level<T> level;
  std::vector<double> parameters;  // named by parameter_names()
};

// The names of the random parameters of this kind of start, in order.
std::vector<std::string> parameter_names(InitialCondition initial);

// The initial state according to the options.
//
// "random2", of the public data set: a "zonal wind" c1 r cos(lat) - c2 cos^2(lat) + c3 sin(lat) cos(lat) +
// offset with integers c1 in [-20, 30], c2, c3 in [-20, 40], offset in [80, 120] and r uniform in [0, 1) at
// each point was computed as one latitude profile per longitude, but the list of profiles was then reshaped
// with the wrong axis first: the profiles lie along the longitudes. Vorticity is -cos(lat)/R d/dlat of that
// field, so the offset has no effect and the noise r most of it. Added are a wave 5e-5 cos(6 lon) cos(lat)
// exp(-((lat - 45)/10)^2) and complex normal noise of 5e-6 on degree 14, orders 0 to 13. Divergence and eta
// are zero.
template <typename T>
Start<T> initial_level(const Model<T>& model, base::Random& random);

// Options with the constants of Williamson et al. 1992, test 2, 5 or 6: no diffusion, weak filter, dt 600 s.
Options williamson_options(int test);
// The jet of Galewsky et al. 2004 itself: fixed parameters, their constants.
Options galewsky_options();

// The jet u = speed exp(4/w^2) exp(1 / ((lat - south)(lat - north))) between south and north, w = north -
// south, in balance with a surface of given area mean.
struct Jet {
  double speed;                                            // [m/s]
  double south;                                            // [rad]
  double north;                                            // [rad]
  double wind(double latitude) const;                      // [m/s]
  double vorticity(double latitude, double radius) const;  // [1/s]
  // h(south pole) - h(latitude) = (R/g) integral of u (f + u tan(lat)/R) [m]
  double drop(double latitude, const Planet& planet) const;
  // Area mean of drop(): the height at the south pole above the area mean [m]
  double mean_drop(const Planet& planet) const;
};
// Galewsky's jet moved to a centre latitude [deg].
Jet make_jet(double speed, double centre);

extern template Start<float> initial_level<float>(const Model<float>&, base::Random&);
extern template Start<double> initial_level<double>(const Model<double>&, base::Random&);

}  // namespace gcan::sim::shallow_water
