#include "gcan/sim/smoke/validation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "gcan/sim/smoke/advection.h"
#include "gcan/sim/smoke/diffusion.h"
#include "gcan/sim/smoke/initial.h"
#include "gcan/sim/smoke/solver.h"

namespace gcan::sim::smoke {
namespace {

constexpr Advection kSchemes[] = {Advection::semi_lagrangian, Advection::mac_cormack};

std::string suffix(Advection scheme) {
  return scheme == Advection::mac_cormack ? ", MacCormack" : ", semi-Lagrangian";
}

Options small_with(Advection scheme) {
  Options options = Options::small();
  options.advection = scheme;
  return options;
}

double largest(const Field<double>& field) {
  double result = 0;
  for (const double value : field.values()) result = std::max(result, std::abs(value));
  return result;
}

constexpr double kPi = std::numbers::pi;

// Order of advection: smoke in a steady eddy, refined with the time step proportional to the cell. The
// stream function is sin(pi x) sin(pi y)/pi in the unit box; face velocities are its exact differences.
State<double> eddy(int n) {
  State<double> state(n);
  const auto psi = [n](int i, int j) { return std::sin(kPi * i / n) * std::sin(kPi * j / n) / kPi; };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (i > 0) state.u(i, j) = (psi(i, j + 1) - psi(i, j)) * n;
      if (j > 0) state.v(i, j) = -(psi(i + 1, j) - psi(i, j)) * n;
    }
  return state;
}

double blob(double x, double y) {
  const double dx = x - 0.5, dy = y - 0.3;
  return std::exp(-(dx * dx + dy * dy) / (2 * 0.12 * 0.12));
}

// The exact smoke: its start at the foot of the characteristic, followed back by Runge-Kutta steps.
double exact_smoke(double x, double y, double time) {
  const auto u = [](double a, double b) { return std::sin(kPi * a) * std::cos(kPi * b); };
  const auto v = [](double a, double b) { return -std::cos(kPi * a) * std::sin(kPi * b); };
  constexpr int kSteps = 20;
  const double h = -time / kSteps;
  for (int i = 0; i < kSteps; ++i) {
    const double ax = u(x, y), ay = v(x, y);
    const double bx = u(x + h / 2 * ax, y + h / 2 * ay), by = v(x + h / 2 * ax, y + h / 2 * ay);
    const double cx = u(x + h / 2 * bx, y + h / 2 * by), cy = v(x + h / 2 * bx, y + h / 2 * by);
    const double ex = u(x + h * cx, y + h * cy), ey = v(x + h * cx, y + h * cy);
    x += h / 6 * (ax + 2 * bx + 2 * cx + ex);
    y += h / 6 * (ay + 2 * by + 2 * cy + ey);
  }
  return blob(x, y);
}

// Mean absolute error at time 0.5 with a Courant number of 0.8.
double advection_error(Advection scheme, int n) {
  State<double> state = eddy(n), scratch(n), moved(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) state.smoke(i, j) = blob((i + 0.5) / n, (j + 0.5) / n);
  const double time = 0.5;
  const int steps = static_cast<int>(std::lround(time * n / 0.8));
  for (int step = 0; step < steps; ++step) {
    advect(scheme, state, time / steps * n, scratch, moved);
    std::swap(state.smoke, moved.smoke);  // the flow is held
  }
  double error = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      error += std::abs(state.smoke(i, j) - exact_smoke((i + 0.5) / n, (j + 0.5) / n, time)) / (n * n);
  return error;
}

// A Gaussian far from the walls widens: variance + 2 nu t, exact solution of the heat equation.
double diffusion_error(int n) {
  const double dx = 1.0 / n, number = 0.2, time = 2e-3, variance = 4e-3;
  const int steps = static_cast<int>(std::lround(time / (number * dx * dx)));
  const auto gaussian = [&](int i, int j, double t) {
    const double x = i * dx - 0.5, y = j * dx - 0.5, width = variance + 2 * t;
    return variance / width * std::exp(-(x * x + y * y) / (2 * width));
  };
  Field<double> now(n + 1, n + 1), next(n + 1, n + 1);
  for (int i = 1; i < n; ++i)
    for (int j = 1; j < n; ++j) now(i, j) = gaussian(i, j, 0);
  for (int step = 0; step < steps; ++step) {
    diffuse(now, number, next);
    std::swap(now, next);
  }
  double error = 0;
  for (int i = 1; i < n; ++i)
    for (int j = 1; j < n; ++j)
      error = std::max(error, std::abs(now(i, j) - gaussian(i, j, steps * number * dx * dx)));
  return error;
}

// Runs 64 steps of random smoke in the small box and returns the largest divergence (times dx, as a fraction
// of what buoyancy adds in a step) and how far the smoke leaves its initial bounds.
std::pair<double, double> divergence_and_overshoot(Advection scheme) {
  const Options options = small_with(scheme);
  Solver<double> solver(options);
  State<double> state(options.cells);
  random_smoke(options, 0, state.smoke);
  const auto [low, high] = std::ranges::minmax(state.smoke.values());
  const double push = options.time_step * options.buoyancy * high;
  Field<double> divergence(options.cells, options.cells);
  double most = 0, overshoot = 0;
  for (int step = 0; step < 64; ++step) {
    solver.step(state);
    outflow(state, divergence);
    most = std::max(most, largest(divergence) / push);
    const auto [lowest, highest] = std::ranges::minmax(state.smoke.values());
    overshoot = std::max({overshoot, low - lowest, highest - high});
  }
  return {most, overshoot};
}

// Uniform smoke lifts every face equally, which a pressure linear in y balances.
double speed_of_uniform_smoke(Advection scheme) {
  Options options = small_with(scheme);
  options.viscosity = 0;
  Solver<double> solver(options);
  State<double> state(options.cells);
  std::ranges::fill(state.smoke.values(), 0.7);
  for (int step = 0; step < 10; ++step) solver.step(state);
  return std::max(largest(state.velocity_x), largest(state.velocity_y));
}

double mirror_difference(Advection scheme) {
  const Options options = small_with(scheme);
  const int n = options.cells;
  Solver<double> solver(options);
  State<double> state(n), mirrored(n);
  random_smoke(options, 0, state.smoke);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) mirrored.smoke(i, j) = state.smoke(n - 1 - i, j);
  for (int step = 0; step < 16; ++step) {
    solver.step(state);
    solver.step(mirrored);
  }
  double difference = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      difference = std::max({difference, std::abs(mirrored.smoke(i, j) - state.smoke(n - 1 - i, j)),
                             std::abs(mirrored.u(i, j) + state.u(n - i, j)),
                             std::abs(mirrored.v(i, j) - state.v(n - 1 - i, j))});
  return difference;
}

}  // namespace

std::vector<Check> check_conservation() {
  constexpr double kRounding = 400 * std::numeric_limits<double>::epsilon();  // of sums over a column
  std::vector<Check> checks;
  for (const Advection scheme : kSchemes) {
    const auto [divergence, overshoot] = divergence_and_overshoot(scheme);
    checks.push_back({"divergence over 64 steps" + suffix(scheme), "1", divergence, 0, kRounding});
    checks.push_back({"smoke beyond its initial bounds" + suffix(scheme), "1", overshoot, 0, 1e-14});
  }
  return checks;
}

std::vector<Check> check_symmetry() {
  std::vector<Check> checks;
  for (const Advection scheme : kSchemes) {
    checks.push_back(
        {"speed under uniform smoke" + suffix(scheme), "m/s", speed_of_uniform_smoke(scheme), 0, 1e-13});
    checks.push_back({"mirrored start, 16 steps" + suffix(scheme), "1", mirror_difference(scheme), 0, 1e-10});
  }
  return checks;
}

std::vector<Check> check_order() {
  const auto advection_order = [](Advection scheme) {
    return std::log2(advection_error(scheme, 128) / advection_error(scheme, 256));
  };
  return {{"order of advection, semi-Lagrangian", "1", advection_order(Advection::semi_lagrangian), 1, 0.15},
          {"order of advection, MacCormack", "1", advection_order(Advection::mac_cormack), 2, 0.25},
          {"order of diffusion", "1", std::log2(diffusion_error(64) / diffusion_error(128)), 2, 0.1}};
}

std::vector<Check> check_float() {
  const Options options = Options::small();
  Solver<double> precise(options);
  Solver<float> rough(options);
  State<double> a(options.cells);
  State<float> b(options.cells);
  random_smoke(options, 0, a.smoke);
  random_smoke(options, 0, b.smoke);
  for (int step = 0; step < 8; ++step) {
    precise.step(a);
    rough.step(b);
  }
  double square = 0;
  for (std::size_t i = 0; i < a.smoke.values().size(); ++i)
    square += std::pow(a.smoke.values()[i] - static_cast<double>(b.smoke.values()[i]), 2);
  const double rms = std::sqrt(square / static_cast<double>(a.smoke.values().size()));
  return {{"float against double, smoke after 8 steps (rms)", "1", rms, 0, 1e-5}};
}

std::vector<Check> validation_checks() {
  std::vector<Check> all;
  for (const auto& checks : {check_conservation(), check_symmetry(), check_order(), check_float()})
    all.insert(all.end(), checks.begin(), checks.end());
  return all;
}

}  // namespace gcan::sim::smoke
