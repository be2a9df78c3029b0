#include "gcan/sim/shallow_water/wind.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "gcan/sim/shallow_water/transform.h"

namespace gcan::sim::shallow_water {
namespace wind_test {

constexpr double kRadius = 6.371e6;

// U and V on the grid of given vorticity and divergence coefficients at (l, m).
struct Wind {
  std::vector<double> u;
  std::vector<double> v;
};

class WindTest : public testing::Test {
 protected:
  Wind wind(const SpectralField<double>& vorticity, const SpectralField<double>& divergence) const {
    Array<double> spectral(4 * static_cast<std::size_t>(layout.size));
    wind_from_vorticity_divergence(layout, operators, vorticity.re(), divergence.re(), spectral.data());
    Wind result{std::vector<double>(24 * 48), std::vector<double>(24 * 48)};
    SphericalTransform<double>::Workspace work(transform, 2);
    transform.sweep(2, spectral.data(), 0, nullptr, work, [&](int band, std::vector<Array<double>>& rows) {
      band_to_grid<double>(transform, band, rows[0].data(), result.u);
      band_to_grid<double>(transform, band, rows[1].data(), result.v);
    });
    return result;
  }
  double sine(std::size_t i) const { return transform.rule().nodes[i / 48]; }
  static double longitude(std::size_t i) { return 2 * std::numbers::pi * static_cast<double>(i % 48) / 48; }

  SphericalTransform<double> transform{15, 24, 48};
  const SpectralLayout& layout = transform.layout();
  WindOperators<double> operators{layout, kRadius};
};

TEST_F(WindTest, OfSolidRotation) {
  // u = 20 cos(lat) has the vorticity 2 * 20 sin(lat) / R.
  SpectralField<double> vorticity(layout);
  vorticity.set(layout, 1, 0, 40 / kRadius * std::sqrt(4 * std::numbers::pi / 3));
  const Wind w = wind(vorticity, SpectralField<double>(layout));
  for (std::size_t i = 0; i < w.u.size(); ++i) {
    EXPECT_NEAR(w.u[i], 20 * (1 - sine(i) * sine(i)), 1e-12);
    EXPECT_NEAR(w.v[i], 0, 1e-12);
  }
}

TEST_F(WindTest, OfSourceAndSink) {
  // D = a cos(lat) cos(lon): potential -a R^2/2 cos(lat) cos(lon), gradient from it.
  const double a = 1e-5;
  SpectralField<double> divergence(layout);
  divergence.set(layout, 1, 1, -a * std::sqrt(2 * std::numbers::pi / 3));
  const Wind w = wind(SpectralField<double>(layout), divergence);
  for (std::size_t i = 0; i < w.u.size(); ++i) {
    const double cos2 = 1 - sine(i) * sine(i);
    EXPECT_NEAR(w.u[i], a * kRadius / 2 * std::sin(longitude(i)) * std::sqrt(cos2), 1e-11);
    EXPECT_NEAR(w.v[i], a * kRadius / 2 * std::cos(longitude(i)) * sine(i) * std::sqrt(cos2), 1e-11);
  }
}

TEST_F(WindTest, CurlIsOptional) {
  Array<double> flux(4 * static_cast<std::size_t>(layout.size), 1.0);
  SpectralField<double> with(layout);
  SpectralField<double> without(layout);
  SpectralField<double> curl(layout);
  divergence_and_curl(layout, operators, flux.data(), with.re(), curl.re());
  divergence_and_curl(layout, operators, flux.data(), without.re(), nullptr);
  for (std::size_t i = 0; i < with.values().size(); ++i) EXPECT_EQ(with.values()[i], without.values()[i]);
  // No flux through the whole sphere's surface, and nothing beyond the truncation.
  EXPECT_EQ(with.get(layout, 0, 0), 0.0);
  EXPECT_EQ(curl.get(layout, 0, 0), 0.0);
  EXPECT_EQ(with.get(layout, 16, 3), 0.0);
}

}  // namespace wind_test
}  // namespace gcan::sim::shallow_water
