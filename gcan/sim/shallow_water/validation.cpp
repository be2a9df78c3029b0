#include "gcan/sim/shallow_water/validation.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <map>
#include <numbers>

#include "gcan/sim/shallow_water/diagnostics.h"
#include "gcan/sim/shallow_water/initial_conditions.h"
#include "gcan/sim/shallow_water/simulate.h"

namespace gcan::sim::shallow_water {
namespace {

constexpr double kDay = 86400;

template <typename T>
SpectralField<T> random_field(const SpectralLayout& layout, base::Random& random, int first_degree) {
  SpectralField<T> field(layout);
  for (int m = 0; m <= layout.truncation; ++m) {
    for (int l = std::max(m, first_degree); l <= layout.truncation; ++l)
      field.set(layout, l, m, {random.normal(), m == 0 ? 0 : random.normal()});
  }
  return field;
}

template <typename T>
double largest_difference(const SpectralField<T>& a, const SpectralField<T>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.values().size(); ++i)
    largest =
        std::max(largest, std::abs(static_cast<double>(a.values()[i]) - static_cast<double>(b.values()[i])));
  return largest;
}

struct Extremes {
  double low;
  double high;
};

Extremes extremes(const std::vector<double>& field) {
  const auto [low, high] = std::minmax_element(field.begin(), field.end());
  return {*low, *high};
}

template <typename T>
void advance_by(const Model<T>& model, State<T>& state, double seconds) {
  const int steps = static_cast<int>(std::lround(seconds / model.options().time_step));
  for (int i = 0; i < steps; ++i) model.advance(state);
}

State<double> started(const Model<double>& model) {
  base::Random random(model.options().seed, 0);
  return model.start(initial_level(model, random).level);
}

// Frequency of the free wave of degree l. Leapfrog also carries a computational wave exp(i (pi - w) t / dt)
// that the start excites; over two steps both turn by the same angle, eta_(+2) + eta_(-2) = 2 cos(2 w dt)
// eta.
double gravity_wave_ratio(int l) {
  Options o;
  o.planet.rotation = 0;
  set_truncation(o, 21);
  o.time_step = 600;
  o.robert_filter = 0;
  o.diffusion.time_scale = 0;
  o.initial = InitialCondition::kRest;
  const Model<double> model(o);
  Level<double> level(model.layout());
  constexpr double kSmall = 1e-6;  // [m]: so that products of the wave with itself do not matter
  level.eta.set(model.layout(), l, 0, kSmall);
  State<double> state = model.start(level);
  std::vector<double> eta;
  for (int i = 0; i < 12; ++i) {
    model.advance(state);
    eta.push_back(state.new_level.eta.get(model.layout(), l, 0).real());
  }
  double numerator = 0;
  double denominator = 0;
  for (std::size_t i = 2; i + 2 < eta.size(); ++i) {
    numerator += (eta[i + 2] + eta[i - 2]) * eta[i];
    denominator += 2 * eta[i] * eta[i];
  }
  const double exact = std::sqrt(o.planet.gravity * o.planet.mean_depth * l * (l + 1.0)) / o.planet.radius;
  return std::acos(numerator / denominator) / (2 * exact * o.time_step);
}

// Order from the errors of dt = 300 s and dt/2 against a run with dt/16, six hours of random balanced flow.
double convergence_order(double robert_filter) {
  const auto run = [&](double time_step) {
    Options o;
    set_truncation(o, 21);
    o.initial = InitialCondition::kRandomVorticity;
    o.random_degree = 6;
    o.diffusion.time_scale = 0;
    o.robert_filter = robert_filter;
    o.time_step = time_step;
    const Model<double> model(o);
    State<double> state = started(model);
    advance_by(model, state, 6 * 3600);
    return model.on_grid(state.new_level).vorticity;
  };
  const GaussLegendre rule = gauss_legendre(32);
  const auto exact = run(300.0 / 16);
  return std::log2(relative_l2(rule, run(300), exact) / relative_l2(rule, run(150), exact));
}

}  // namespace

std::vector<Check> check_transforms(int truncation) {
  Options o;
  set_truncation(o, truncation);
  const SphericalTransform<double> transform(truncation, o.latitudes, o.longitudes);
  const SpectralLayout& layout = transform.layout();
  base::Random random(1, static_cast<std::uint64_t>(truncation));
  const auto field = random_field<double>(layout, random, 0);
  std::vector<double> grid(static_cast<std::size_t>(o.latitudes) * static_cast<std::size_t>(o.longitudes));
  transform.to_grid(field, grid);
  const double round_trip = largest_difference(transform.to_spectral(grid), field);

  const WindOperators<double> operators(layout, 1.0);
  const auto vorticity = random_field<double>(layout, random, 1);
  const auto divergence = random_field<double>(layout, random, 1);
  const auto size = static_cast<std::size_t>(layout.size);
  Array<double> wind(4 * size);
  Array<double> flux(4 * size);
  wind_from_vorticity_divergence(layout, operators, vorticity.re(), divergence.re(), wind.data());
  // Through the grid, where the flux is the wind itself: U / cos^2 = u / cos.
  SphericalTransform<double>::Workspace work(transform, 2);
  transform.sweep(2, wind.data(), 2, flux.data(), work, [&](int band, std::vector<Array<double>>& rows) {
    for (std::size_t i = 0; i < transform.rows_size(); ++i) {
      const int row = transform.northern_row(band, static_cast<int>(i % kLine<double>));
      const double sine = row < 0 ? 0 : transform.rule().nodes[static_cast<std::size_t>(row)];
      for (auto& component : rows) component[i] /= (1 - sine) * (1 + sine);
    }
  });
  SpectralField<double> divergence_back(layout);
  SpectralField<double> vorticity_back(layout);
  divergence_and_curl(layout, operators, flux.data(), divergence_back.re(), vorticity_back.re());
  const std::string suffix = ", T" + std::to_string(truncation);
  return {{"transform round trip" + suffix, "1", round_trip, 0, 1e-12},
          {"vorticity from wind" + suffix, "1", largest_difference(vorticity_back, vorticity), 0, 5e-12},
          {"divergence from wind" + suffix, "1", largest_difference(divergence_back, divergence), 0, 5e-12}};
}

std::vector<Check> check_steady_flow() {
  const Model<double> model(williamson_options(2));
  State<double> state = started(model);
  const GridFields before = model.on_grid(state.new_level);
  advance_by(model, state, 5 * kDay);
  const GridFields after = model.on_grid(state.new_level);
  const auto height = [&](std::vector<double> eta) {
    for (double& value : eta) value += model.options().planet.mean_depth;
    return eta;
  };
  const GaussLegendre& rule = model.transform().rule();
  return {{"Williamson 2, day 5: l2 error of height", "1",
           relative_l2(rule, height(after.eta), height(before.eta)), 0, 1e-11},
          {"Williamson 2, day 5: l2 error of u", "1", relative_l2(rule, after.u, before.u), 0, 1e-11}};
}

std::vector<Check> check_gravity_waves() {
  std::vector<Check> checks;
  const Options o;
  for (const int l : {2, 5, 10}) {
    const double turn =
        std::sqrt(o.planet.gravity * o.planet.mean_depth * l * (l + 1.0)) / o.planet.radius * 600;
    checks.push_back({"gravity wave, l = " + std::to_string(l) + ", dt 600 s: frequency / exact", "1",
                      gravity_wave_ratio(l), std::atan(turn) / turn, 1e-7});
  }
  return checks;
}

std::vector<Check> check_mountain() {
  const Model<double> model(williamson_options(5));
  State<double> state = started(model);
  const Budget before = budget(model, model.on_grid(state.new_level));
  advance_by(model, state, 15 * kDay);
  const GridFields fields = model.on_grid(state.new_level);
  const Budget after = budget(model, fields);
  const double depth = model.options().planet.mean_depth;
  const Extremes surface = extremes(fields.eta);
  const Extremes u = extremes(fields.u);
  return {{"Williamson 5, day 15: lowest surface", "m", surface.low + depth, 5035.3, 0.1},
          {"Williamson 5, day 15: highest surface", "m", surface.high + depth, 5953.9, 0.1},
          {"Williamson 5, day 15: smallest u", "m/s", u.low, -10.81, 0.01},
          {"Williamson 5, day 15: largest u", "m/s", u.high, 37.20, 0.01},
          {"Williamson 5, day 15: relative change of energy", "1", after.energy / before.energy - 1, 0, 1e-7},
          {"Williamson 5, day 15: relative change of mass", "1", (after.eta - before.eta) / depth, 0, 1e-13}};
}

std::vector<Check> check_rossby_haurwitz() {
  const Model<double> model(williamson_options(6));
  State<double> state = started(model);
  const double depth = model.options().planet.mean_depth;
  const Extremes start = extremes(model.on_grid(state.new_level).eta);
  // At the start there is no divergence and the wave moves as it would under a rigid lid, with the angular
  // speed (r (3 + r) omega - 2 Omega) / ((1 + r) (2 + r)); free-surface effects then slow it down.
  model.evaluate(state.new_level, state);
  const auto rate = -state.tendencies.vorticity_divergence.get(model.layout(), 5, 4) /
                    state.new_level.vorticity.get(model.layout(), 5, 4);
  const double initial_speed = -rate.imag() / 4;  // [rad/s]
  const double rigid_speed = (28 * 7.848e-6 - 2 * model.options().planet.rotation) / 30;
  constexpr double kDegreesPerDay = kDay * 180 / std::numbers::pi;
  const auto phase = [&] { return std::arg(state.new_level.vorticity.get(model.layout(), 5, 4)); };
  double turned = 0;  // phase of the wave [rad]
  for (int day = 0; day < 14; ++day) {
    const double before = phase();
    advance_by(model, state, kDay);
    // A wave cos(4 (lon - lon0)) has the phase -4 lon0; a day moves it by less than half a turn.
    turned += std::remainder(before - phase(), 2 * std::numbers::pi);
  }
  const Extremes end = extremes(model.on_grid(state.new_level).eta);
  return {{"Williamson 6, start: lowest height", "m", start.low + depth, 8001.6, 0.1},
          {"Williamson 6, start: highest height", "m", start.high + depth, 10555.9, 0.1},
          {"Williamson 6, day 14: lowest height", "m", end.low + depth, 8036.7, 0.1},
          {"Williamson 6, day 14: highest height", "m", end.high + depth, 10564.2, 0.1},
          {"Williamson 6, start: eastward speed", "deg/day", initial_speed * kDegreesPerDay,
           rigid_speed * kDegreesPerDay, 1e-9},
          {"Williamson 6, 14 days: mean eastward speed", "deg/day", turned / 4 / (14 * kDay) * kDegreesPerDay,
           11.30, 0.02}};
}

std::vector<Check> check_jet() {
  const Planet planet = galewsky_options().planet;
  const Jet jet = make_jet(80, 45);
  const double top = planet.mean_depth + jet.mean_drop(planet);
  return {{"Galewsky jet: balance constant", "m", top, 10158.18617, 1e-5},
          {"Galewsky jet: lowest height", "m", top - jet.drop(std::numbers::pi / 2, planet), 9071.208, 1e-3}};
}

std::vector<Check> check_convergence() {
  return {{"order in time, no filter", "1", convergence_order(0), 2, 0.1},
          {"order in time, filter 0.05 (Williams 0.53)", "1", convergence_order(0.05), 2, 0.3}};
}

std::vector<Check> check_float() {
  std::vector<std::vector<double>> last(2);
  for (const Precision precision : {Precision::kDouble, Precision::kFloat}) {
    Options o = paper_preset();
    o.precision = precision;
    auto& eta = last[precision == Precision::kFloat ? 1 : 0];
    simulate(o, 0, 1, 1, {[&](const Frame& frame) { eta = frame.fields.eta; }, {}});
  }
  return {{"float against double, eta after 520 steps", "1",
           relative_l2(gauss_legendre(96), last[1], last[0]), 0, 1e-4}};
}

std::vector<Check> validation_checks() {
  std::vector<Check> all;
  const auto add = [&](const std::vector<Check>& checks) {
    all.insert(all.end(), checks.begin(), checks.end());
  };
  for (const int truncation : {31, 62, 127, 255}) add(check_transforms(truncation));
  add(check_steady_flow());
  add(check_gravity_waves());
  add(check_mountain());
  add(check_rossby_haurwitz());
  add(check_jet());
  add(check_convergence());
  add(check_float());
  return all;
}

std::vector<FieldStatistics> trajectory_statistics(const Options& options, int count, int threads) {
  struct Sums {
    double points = 0, sum = 0, squares = 0, steps = 0, step_squares = 0;
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
  };
  Sums sums[3];
  std::map<int, std::vector<double>> previous[3];
  const auto add = [&](const Frame& frame) {
    const std::vector<double>* fields[] = {&frame.fields.u, &frame.fields.v, &frame.fields.eta};
    for (int f = 0; f < 3; ++f) {
      Sums& s = sums[f];
      std::vector<double>& before = previous[f][frame.trajectory];
      for (std::size_t i = 0; i < fields[f]->size(); ++i) {
        const double value = (*fields[f])[i];
        s.points += 1;
        s.sum += value;
        s.squares += value * value;
        s.low = std::min(s.low, value);
        s.high = std::max(s.high, value);
        // The start is not in balance: the first difference would measure the adjustment.
        if (frame.index < 2) continue;
        s.steps += 1;
        s.step_squares += (value - before[i]) * (value - before[i]);
      }
      before = *fields[f];
    }
  };
  simulate(options, 0, count, threads, {add, [&](const TrajectoryStatus& status) {
                                          for (auto& map : previous) map.erase(status.trajectory);
                                        }});
  const char* names[] = {"u", "v", "pres"};
  std::vector<FieldStatistics> statistics;
  for (int f = 0; f < 3; ++f) {
    const Sums& s = sums[f];
    const double mean = s.sum / s.points;
    const double deviation = std::sqrt(s.squares / s.points - mean * mean);
    statistics.push_back({names[f], f == 2 ? "m" : "m/s", mean, deviation, s.low, s.high,
                          std::sqrt(s.step_squares / s.steps) / deviation});
  }
  return statistics;
}

}  // namespace gcan::sim::shallow_water
