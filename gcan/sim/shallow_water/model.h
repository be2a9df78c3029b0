#pragma once

#include <vector>

#include "gcan/sim/shallow_water/fluxes.h"
#include "gcan/sim/shallow_water/leapfrog.h"
#include "gcan/sim/shallow_water/options.h"
#include "gcan/sim/shallow_water/transform.h"
#include "gcan/sim/shallow_water/wind.h"

namespace gcan::sim::shallow_water {

// A running trajectory: two time levels, scratch memory, and the state of the stirring.
template <typename T>
struct State {
  explicit State(const SphericalTransform<T>& transform);
  int step = 0;              // time steps done
  Level<T> old_level;        // filtered, at step - 1 (at 0 when step <= 1)
  Level<T> new_level;        // at `step`
  SpectralField<T> forcing;  // vorticity source [1/s^2]
  LevelNorms norms;          // of the newest level

  typename SphericalTransform<T>::Workspace work;
  Array<T> spectral_in;   // vorticity, eta, U, V
  Array<T> spectral_out;  // the five products
  Tendencies<T> tendencies;
};

// Fields on the grid, [latitude][longitude] from the north.
struct GridFields {
  std::vector<double> u;           // eastward wind [m/s]
  std::vector<double> v;           // northward wind [m/s]
  std::vector<double> eta;         // surface displacement, the data set's "pres" [m]
  std::vector<double> vorticity;   // relative [1/s]
  std::vector<double> divergence;  // [1/s]
};

// The tables and factors for one set of options: constant, and shared by all trajectories and threads.
template <typename T>
class Model {
 public:
  explicit Model(const Options& options);

  const Options& options() const { return options_; }
  const SphericalTransform<T>& transform() const { return transform_; }
  const SpectralLayout& layout() const { return transform_.layout(); }
  const WindOperators<T>& operators() const { return operators_; }
  // Height of the ground, [latitude][longitude] from the north [m].
  const std::vector<double>& orography() const { return orography_; }

  // A state at step 0 with the same initial fields in both levels.
  State<T> start(const Level<T>& initial) const;
  // One time step; the first is an Euler step of dt/2 and a leapfrog of dt, both unfiltered.
  void advance(State<T>& state) const;
  // Computes the nonlinear terms at a level into state.tendencies.
  void evaluate(const Level<T>& level, State<T>& state) const;
  // Fields of a level on the grid; the second form uses the scratch memory of a state, which may contain the
  // level.
  GridFields on_grid(const Level<T>& level) const;
  void on_grid(const Level<T>& level, State<T>& scratch, GridFields& fields) const;

  // Sets eta such that the divergence is initially steady, for flow without divergence: lap(g eta) = curl(u
  // (zeta + f)) - lap(|u|^2 / 2). Keeps the area mean of eta.
  void balance(Level<T>& level) const;

 private:
  StepCoefficients<T> coefficients(double step, bool starting) const;
  BandGeometry<T> band_geometry(int band) const;

  Options options_;
  SphericalTransform<T> transform_;
  WindOperators<T> operators_;
  std::vector<double> orography_;
  std::vector<BandGeometry<T>> bands_;
  SpectralField<T> target_;
  StepCoefficients<T> euler_;
  StepCoefficients<T> half_;
  StepCoefficients<T> full_;
};

extern template class Model<float>;
extern template class Model<double>;

}  // namespace gcan::sim::shallow_water
