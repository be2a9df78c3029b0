#include "gcan/sim/shallow_water/model.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>

#include "gcan/sim/shallow_water/orography.h"

namespace gcan::sim::shallow_water {
namespace {

constexpr int kFieldsIn = 4;
constexpr int kFieldsOut = 5;

// height * (1/3 - sin^2(latitude)) is a multiple of Y_20 = sqrt(5 / (16 pi)) (3 sin^2 - 1): no area mean.
template <typename T>
SpectralField<T> relaxation_target(const SpectralLayout& layout, double height) {
  SpectralField<T> target(layout);
  target.set(layout, 2, 0, -height / 3 / std::sqrt(5.0 / (16.0 * std::numbers::pi)));
  return target;
}

}  // namespace

template <typename T>
State<T>::State(const SphericalTransform<T>& transform)
    : old_level(transform.layout()),
      new_level(transform.layout()),
      forcing(transform.layout()),
      work(transform, kFieldsOut),
      spectral_in(static_cast<std::size_t>(2 * kFieldsIn * transform.layout().size)),
      spectral_out(static_cast<std::size_t>(2 * kFieldsOut * transform.layout().size)),
      tendencies(transform.layout()) {}

template <typename T>
Model<T>::Model(const Options& options)
    : options_((validate(options), options)),
      transform_(options.truncation, options.latitudes, options.longitudes),
      operators_(layout(), options.planet.radius),
      orography_(orography_on_grid(options, transform_.rule())),
      target_(relaxation_target<T>(layout(), options.forcing.relaxation_height)),
      euler_(coefficients(options.time_step / 2, true)),
      half_(coefficients(options.time_step, true)),
      full_(coefficients(2 * options.time_step, false)) {
  for (int band = 0; band < transform_.bands(); ++band) bands_.push_back(band_geometry(band));
}

template <typename T>
BandGeometry<T> Model<T>::band_geometry(int band) const {
  const std::size_t line = kLine<T>;
  BandGeometry<T> geometry{Array<T>(line, T(0)), Array<T>(line, T(0)), Array<T>(transform_.rows_size())};
  for (int lane = 0; lane < kLine<T>; ++lane) {
    const int row = transform_.northern_row(band, lane);
    if (row < 0) break;
    const double sine = transform_.rule().nodes[static_cast<std::size_t>(row)];
    geometry.coriolis[static_cast<std::size_t>(lane)] = static_cast<T>(2 * options_.planet.rotation * sine);
    geometry.inverse_cos2[static_cast<std::size_t>(lane)] = static_cast<T>(1 / ((1 - sine) * (1 + sine)));
  }
  std::vector<double> depth(orography_.size());
  std::transform(orography_.begin(), orography_.end(), depth.begin(),
                 [&](double height) { return options_.planet.mean_depth - height; });
  grid_to_band(transform_, band, std::span<const double>(depth), geometry.rest_depth.data());
  return geometry;
}

template <typename T>
StepCoefficients<T> Model<T>::coefficients(double step, bool starting) const {
  const Planet& planet = options_.planet;
  const double xi = options_.implicit_weight * step;
  const double drag = options_.forcing.drag_time > 0 ? 1 / options_.forcing.drag_time : 0;
  const double relaxation = options_.forcing.relaxation_time > 0 ? 1 / options_.forcing.relaxation_time : 0;
  const auto size = static_cast<std::size_t>(layout().size);
  StepCoefficients<T> c{
      static_cast<T>(step),
      static_cast<T>(xi),
      static_cast<T>(planet.mean_depth),
      static_cast<T>(starting ? 0 : options_.robert_filter * options_.williams_filter / 2),
      static_cast<T>(starting ? 0 : options_.robert_filter * (1 - options_.williams_filter) / 2),
      starting,
      Array<T>(size, T(0)),
      Array<T>(size, T(0)),
      Array<T>(size, T(1)),
      Array<T>(size, T(0)),
      Array<T>(size, T(1)),
      Array<T>(size, T(0))};
  const int truncation = options_.truncation;
  const double largest = truncation * (truncation + 1.0);
  for (int m = 0; m <= truncation; ++m) {
    for (int l = m; l <= truncation; ++l) {
      const auto at = static_cast<std::size_t>(layout().index(l, m));
      const double eigenvalue = l * (l + 1.0);
      const double laplace = -eigenvalue / (planet.radius * planet.radius);
      double damping = drag;
      if (options_.diffusion.time_scale > 0)
        damping += std::pow(eigenvalue / largest, options_.diffusion.power) / options_.diffusion.time_scale;
      c.laplace[at] = static_cast<T>(laplace);
      c.gravity[at] = static_cast<T>(planet.gravity * laplace);
      c.implicit[at] = static_cast<T>(1 / (1 - xi * xi * planet.gravity * planet.mean_depth * laplace));
      c.damping[at] = static_cast<T>(damping);
      c.relaxation[at] = static_cast<T>(l == 0 ? 0 : relaxation);
      c.undamped[at] = static_cast<T>(1 / (1 + 2 * options_.time_step * damping));
    }
  }
  return c;
}

template <typename T>
State<T> Model<T>::start(const Level<T>& initial) const {
  State<T> state(transform_);
  state.old_level = initial;
  state.new_level = initial;
  return state;
}

template <typename T>
void Model<T>::evaluate(const Level<T>& level, State<T>& state) const {
  const auto size = static_cast<std::size_t>(layout().size);
  T* in = state.spectral_in.data();
  std::copy_n(level.vorticity.re(), 2 * size, in);
  std::copy_n(level.eta.re(), 2 * size, in + 2 * size);
  wind_from_vorticity_divergence(layout(), operators_, level.vorticity.re(), level.divergence.re(),
                                 in + 4 * size);
  T* out = state.spectral_out.data();
  transform_.sweep(kFieldsIn, in, kFieldsOut, out, state.work, [&](int band, std::vector<Array<T>>& rows) {
    T* const pointers[] = {rows[0].data(), rows[1].data(), rows[2].data(), rows[3].data(), rows[4].data()};
    fluxes(bands_[static_cast<std::size_t>(band)], options_.longitudes, pointers);
  });
  Tendencies<T>& t = state.tendencies;
  divergence_and_curl(layout(), operators_, out, t.vorticity_divergence.re(), t.vorticity_curl.re());
  divergence_and_curl(layout(), operators_, out + 4 * size, t.mass_divergence.re(), static_cast<T*>(nullptr));
  std::copy_n(out + 8 * size, 2 * size, t.kinetic.re());
}

template <typename T>
void Model<T>::advance(State<T>& state) const {
  const StepInputs<T> inputs{&state.tendencies, options_.forcing.stirring > 0 ? &state.forcing : nullptr,
                             options_.forcing.relaxation_time > 0 ? &target_ : nullptr};
  const auto leap = [&](const StepCoefficients<T>& c) {
    evaluate(state.new_level, state);
    state.norms = leapfrog(layout(), c, inputs, state.old_level, state.new_level);
  };
  if (state.step == 0) {
    leap(euler_);
    leap(half_);
  } else {
    leap(full_);
  }
  ++state.step;
}

template <typename T>
GridFields Model<T>::on_grid(const Level<T>& level) const {
  State<T> scratch(transform_);
  GridFields fields;
  on_grid(level, scratch, fields);
  return fields;
}

template <typename T>
void Model<T>::on_grid(const Level<T>& level, State<T>& scratch, GridFields& fields) const {
  const auto size = static_cast<std::size_t>(layout().size);
  std::vector<double>* const all[] = {&fields.u, &fields.v, &fields.eta, &fields.vorticity,
                                      &fields.divergence};
  for (auto* field : all) field->resize(orography_.size());
  T* in = scratch.spectral_out.data();
  wind_from_vorticity_divergence(layout(), operators_, level.vorticity.re(), level.divergence.re(), in);
  std::copy_n(level.eta.re(), 2 * size, in + 4 * size);
  std::copy_n(level.vorticity.re(), 2 * size, in + 6 * size);
  std::copy_n(level.divergence.re(), 2 * size, in + 8 * size);
  transform_.sweep(5, in, 0, nullptr, scratch.work, [&](int band, std::vector<Array<T>>& rows) {
    for (std::size_t f = 0; f < 5; ++f)
      band_to_grid(transform_, band, rows[f].data(), std::span<double>(*all[f]));
  });
  const auto longitudes = static_cast<std::size_t>(options_.longitudes);
  for (std::size_t row = 0; row < transform_.rule().nodes.size(); ++row) {
    const double sine = transform_.rule().nodes[row];
    const double inverse_cosine = 1 / std::sqrt((1 - sine) * (1 + sine));
    for (std::size_t i = row * longitudes; i < (row + 1) * longitudes; ++i) {
      fields.u[i] *= inverse_cosine;
      fields.v[i] *= inverse_cosine;
    }
  }
}

template <typename T>
void Model<T>::balance(Level<T>& level) const {
  State<T> state(transform_);
  evaluate(level, state);
  const double g = options_.planet.gravity;
  const double r2 = options_.planet.radius * options_.planet.radius;
  for (int m = 0; m <= options_.truncation; ++m) {
    for (int l = std::max(m, 1); l <= options_.truncation; ++l) {
      const auto curl = state.tendencies.vorticity_curl.get(layout(), l, m);
      const auto kinetic = state.tendencies.kinetic.get(layout(), l, m);
      level.eta.set(layout(), l, m, -(curl * r2 / (l * (l + 1.0)) + kinetic) / g);
    }
  }
}

template struct State<float>;
template struct State<double>;
template class Model<float>;
template class Model<double>;

}  // namespace gcan::sim::shallow_water
