#include "gcan/sim/shallow_water/initial_conditions.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "gcan/sim/shallow_water/legendre.h"

namespace gcan::sim::shallow_water {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kDegree = kPi / 180;

// value(latitude, longitude) in radians on the grid, row by row from the north.
template <class Value>
std::vector<double> fill_grid(const Options& options, const GaussLegendre& rule, const Value& value) {
  const auto longitudes = static_cast<std::size_t>(options.longitudes);
  std::vector<double> grid(rule.nodes.size() * longitudes);
  for (std::size_t i = 0; i < grid.size(); ++i)
    grid[i] = value(std::asin(rule.nodes[i / longitudes]),
                    2 * kPi * static_cast<double>(i % longitudes) / options.longitudes);
  return grid;
}

// Scalars end at degree T; row T + 1, which the analysis also fills, is for winds only.
template <typename T>
SpectralField<T> scalar(const Model<T>& model, const std::vector<double>& grid) {
  SpectralField<T> field = model.transform().to_spectral(grid);
  const int truncation = model.layout().truncation;
  for (int m = 0; m <= truncation; ++m) field.set(model.layout(), truncation + 1, m, 0);
  return field;
}

template <typename T, class Value>
SpectralField<T> from_function(const Model<T>& model, const Value& value) {
  return scalar(model, fill_grid(model.options(), model.transform().rule(), value));
}

// The area mean of vorticity vanishes on a sphere; a remainder from rounding would have no wind.
template <typename T>
void remove_mean(const SpectralLayout& layout, SpectralField<T>& field) {
  field.set(layout, 0, 0, 0);
}

template <typename T>
std::vector<double> random2_profiles(const Model<T>& model, base::Random& random, const int (&c)[3],
                                     int offset) {
  const auto& sines = model.transform().rule().nodes;
  std::vector<double> field;
  for (int i = 0; i < model.options().longitudes; ++i) {
    for (const double sine : sines) {
      const double cosine = std::sqrt((1 - sine) * (1 + sine));
      field.push_back(c[0] * random.uniform() * cosine - c[1] * cosine * cosine + c[2] * sine * cosine +
                      offset);
    }
  }
  // The list of profiles, read as [latitude][longitude]: this is the quirk.
  return field;
}

template <typename T>
Start<T> random2(const Model<T>& model, base::Random& random) {
  const SpectralLayout& layout = model.layout();
  const double radius = model.options().planet.radius;
  const int truncation = layout.truncation;
  const int offset = random.integer(80, 120);
  const int c1 = random.integer(-20, 30);
  const int c2 = random.integer(-20, 40);
  const int c3 = random.integer(-20, 40);
  const auto wind = scalar(model, random2_profiles(model, random, {c1, c2, c3}, offset));
  Start<T> start{Level<T>(layout), {1.0 * offset, 1.0 * c1, 1.0 * c2, 1.0 * c3}};
  const auto wave = from_function(model, [](double latitude, double longitude) {
    const double distance = (latitude / kDegree - 45) / 10;
    return 5e-5 * std::cos(6 * longitude) * std::cos(latitude) * std::exp(-distance * distance);
  });
  for (int m = 0; m <= truncation; ++m) {
    for (int l = m; l <= truncation; ++l) {
      // cos(lat) dY_l/dlat = (l+1) eps_l Y_(l-1) - l eps_(l+1) Y_(l+1), read for the coefficient of Y_l.
      auto gradient = std::complex<double>(0);
      if (l > m) gradient -= (l - 1.0) * epsilon(l, m) * wind.get(layout, l - 1, m);
      if (l < truncation) gradient += (l + 2.0) * epsilon(l + 1, m) * wind.get(layout, l + 1, m);
      start.level.vorticity.set(layout, l, m, -gradient / radius + wave.get(layout, l, m));
    }
  }
  for (int m = 0; m < 14; ++m) {
    // A complex normal number of variance 1 has variance 1/2 in each part.
    const double re = random.normal();
    const double im = m == 0 ? 0 : random.normal();
    start.level.vorticity.set(layout, 14, m,
                              start.level.vorticity.get(layout, 14, m) +
                                  5e-6 * std::numbers::sqrt2 / 2 * std::complex<double>(re, im));
  }
  remove_mean(layout, start.level.vorticity);
  return start;
}

template <typename T>
Start<T> galewsky(const Model<T>& model, base::Random& random) {
  const Options& o = model.options();
  const double speed = random.uniform(o.jet.speed[0], o.jet.speed[1]);
  const double centre = random.uniform(o.jet.latitude[0], o.jet.latitude[1]);
  const double bump = random.uniform(o.jet.bump[0], o.jet.bump[1]);
  const double bump_longitude = random.uniform(o.jet.bump_longitude[0], o.jet.bump_longitude[1]);
  Start<T> start{Level<T>(model.layout()), {speed, centre, bump, bump_longitude}};
  const Jet jet = make_jet(speed, centre);
  start.level.vorticity =
      from_function(model, [&](double latitude, double) { return jet.vorticity(latitude, o.planet.radius); });
  remove_mean(model.layout(), start.level.vorticity);
  const double top = jet.mean_drop(o.planet);
  // Every longitude has the same drop: integrate once per latitude.
  double at_latitude = 2 * kPi;
  double drop = 0;
  start.level.eta = from_function(model, [&](double latitude, double longitude) {
    if (latitude != at_latitude) drop = jet.drop(latitude, o.planet);
    at_latitude = latitude;
    const double east = std::remainder(longitude - bump_longitude * kDegree, 2 * kPi) * 3;
    const double north = (latitude - centre * kDegree) * 15;
    return top - drop + bump * std::cos(latitude) * std::exp(-east * east - north * north);
  });
  return start;
}

template <typename T>
Start<T> random_vorticity(const Model<T>& model, base::Random& random) {
  const SpectralLayout& layout = model.layout();
  const Options& o = model.options();
  Start<T> start{Level<T>(layout), {}};
  // Kinetic energy per degree (l/l0)^2 exp(-(l/l0)^2), spread evenly over the orders; then scaled to the
  // wind.
  std::vector<std::complex<double>> values;
  double mean_square_wind = 0;
  for (int l = 1; l <= o.truncation; ++l) {
    const double ratio = static_cast<double>(l) / o.random_degree;
    const double energy = ratio * ratio * std::exp(-ratio * ratio);
    const double square = energy * l * (l + 1.0) / (2.0 * l + 1.0);
    for (int m = 0; m <= l; ++m) {
      const double re = random.normal();
      const double im = m == 0 ? 0 : random.normal();
      values.push_back(std::complex<double>(re, im) * std::sqrt(m == 0 ? square : square / 2));
      mean_square_wind += (m == 0 ? 1 : 2) * std::norm(values.back()) / (l * (l + 1.0)) / (4 * kPi);
    }
  }
  const double scale = o.random_wind / (o.planet.radius * std::sqrt(mean_square_wind));
  auto value = values.begin();
  for (int l = 1; l <= o.truncation; ++l)
    for (int m = 0; m <= l; ++m) start.level.vorticity.set(layout, l, m, scale * *value++);
  model.balance(start.level);
  return start;
}

// Williamson tests 2 and 5: u = speed cos(lat), g h = g h0 - (R Omega speed + speed^2/2) sin^2(lat).
template <typename T>
Start<T> zonal_flow(const Model<T>& model, double speed, double height) {
  const Planet& planet = model.options().planet;
  Start<T> start{Level<T>(model.layout()), {}};
  start.level.vorticity.set(model.layout(), 1, 0, 2 * speed / planet.radius * std::sqrt(4 * kPi / 3));
  const double fall = (planet.radius * planet.rotation * speed + speed * speed / 2) / planet.gravity;
  start.level.eta = from_function(model, [&](double latitude, double) {
    return height - planet.mean_depth - fall * std::sin(latitude) * std::sin(latitude);
  });
  return start;
}

// Williamson test 6, equations 141 to 147.
template <typename T>
Start<T> rossby_haurwitz(const Model<T>& model) {
  constexpr double kOmega = 7.848e-6;  // also the wave's K [1/s]
  constexpr double kHeight = 8000;     // at the poles [m]
  constexpr double r = 4;
  const Planet& planet = model.options().planet;
  Start<T> start{Level<T>(model.layout()), {}};
  start.level.vorticity = from_function(model, [&](double latitude, double longitude) {
    const double wave = std::pow(std::cos(latitude), r) * (r * r + 3 * r + 2) * std::cos(r * longitude);
    return std::sin(latitude) * kOmega * (2 - wave);
  });
  remove_mean(model.layout(), start.level.vorticity);
  start.level.eta = from_function(model, [&](double latitude, double longitude) {
    const double c = std::cos(latitude);
    const double c2 = c * c;
    const double a = kOmega / 2 * (2 * planet.rotation + kOmega) * c2 +
                     kOmega * kOmega / 4 * std::pow(c2, r - 1) *
                         ((r + 1) * c2 * c2 + (2 * r * r - r - 2) * c2 - 2 * r * r);
    const double b = 2 * (planet.rotation + kOmega) * kOmega / ((r + 1) * (r + 2)) * std::pow(c, r) *
                     (r * r + 2 * r + 2 - (r + 1) * (r + 1) * c2);
    const double e = kOmega * kOmega / 4 * std::pow(c2, r) * ((r + 1) * c2 - (r + 2));
    const double square = planet.radius * planet.radius / planet.gravity;
    return kHeight - planet.mean_depth +
           square * (a + b * std::cos(r * longitude) + e * std::cos(2 * r * longitude));
  });
  return start;
}

// (R/g) u (f + u tan(lat)/R) [m per radian]
double slope(const Jet& jet, double latitude, const Planet& planet) {
  const double u = jet.wind(latitude);
  return u / planet.gravity *
         (planet.radius * 2 * planet.rotation * std::sin(latitude) + u * std::tan(latitude));
}

// The jet is smooth but not analytic at its edges: 16 panels of 16 nodes give 1e-9 m.
template <class Value>
double integrate(double from, double to, const Value& value) {
  static const GaussLegendre rule = gauss_legendre(16);
  constexpr int kPanels = 16;
  double sum = 0;
  for (int panel = 0; panel < kPanels; ++panel) {
    const double half = (to - from) / (2 * kPanels);
    const double centre = from + (2 * panel + 1) * half;
    for (std::size_t i = 0; i < rule.nodes.size(); ++i)
      sum += half * rule.weights[i] * value(centre + half * rule.nodes[i]);
  }
  return sum;
}

}  // namespace

Jet make_jet(double speed, double centre) {
  constexpr double kHalfWidth = 3 * kPi / 28;
  return {speed, centre * kDegree - kHalfWidth, centre * kDegree + kHalfWidth};
}

double Jet::wind(double latitude) const {
  if (latitude <= south || latitude >= north) return 0;
  const double width = north - south;
  return speed * std::exp(4 / (width * width) + 1 / ((latitude - south) * (latitude - north)));
}

double Jet::vorticity(double latitude, double radius) const {
  if (latitude <= south || latitude >= north) return 0;
  const double product = (latitude - south) * (latitude - north);
  const double shear = wind(latitude) * (south + north - 2 * latitude) / (product * product);
  return (wind(latitude) * std::tan(latitude) - shear) / radius;
}

double Jet::drop(double latitude, const Planet& planet) const {
  if (latitude <= south) return 0;
  return integrate(south, std::min(latitude, north), [&](double at) { return slope(*this, at, planet); });
}

double Jet::mean_drop(const Planet& planet) const {
  // By parts: 1/2 integral of drop cos = 1/2 integral of slope (1 - sin).
  return integrate(south, north,
                   [&](double at) { return 0.5 * slope(*this, at, planet) * (1 - std::sin(at)); });
}

Options williamson_options(int test) {
  Options o;
  o.planet = {6.37122e6, 7.292e-5, 9.80616, test == 2 ? 2.94e4 / 9.80616 : test == 5 ? 5960 : 8000};
  o.time_step = 600;
  o.diffusion.time_scale = 0;
  o.robert_filter = 0.01;
  o.initial = test == 2   ? InitialCondition::kWilliamson2
              : test == 5 ? InitialCondition::kWilliamson5
                          : InitialCondition::kWilliamson6;
  if (test == 5) o.orography = Orography::kMountain;
  return o;
}

Options galewsky_options() {
  Options o;
  o.planet = {6.37122e6, 7.292e-5, 9.80616, 1e4};
  o.time_step = 600;
  o.initial = InitialCondition::kGalewsky;
  o.jet = {{80, 80}, {45, 45}, {120, 120}, {0, 0}};
  return o;
}

std::vector<std::string> parameter_names(InitialCondition initial) {
  switch (initial) {
    case InitialCondition::kRandom2: return {"offset", "c1", "c2", "c3"};
    case InitialCondition::kGalewsky: return {"speed", "latitude", "bump", "bump_longitude"};
    default: return {};
  }
}

template <typename T>
Start<T> initial_level(const Model<T>& model, base::Random& random) {
  switch (model.options().initial) {
    case InitialCondition::kRandom2: return random2(model, random);
    case InitialCondition::kGalewsky: return galewsky(model, random);
    case InitialCondition::kRandomVorticity: return random_vorticity(model, random);
    // One turn of the planet in twelve days; g h0 = 2.94e4 m^2/s^2.
    case InitialCondition::kWilliamson2:
      return zonal_flow(model, 2 * kPi * model.options().planet.radius / (12 * 86400),
                        2.94e4 / model.options().planet.gravity);
    case InitialCondition::kWilliamson5: return zonal_flow(model, 20, 5960);
    case InitialCondition::kWilliamson6: return rossby_haurwitz(model);
    case InitialCondition::kRest: break;
  }
  return {Level<T>(model.layout()), {}};
}

template Start<float> initial_level<float>(const Model<float>&, base::Random&);
template Start<double> initial_level<double>(const Model<double>&, base::Random&);

}  // namespace gcan::sim::shallow_water
