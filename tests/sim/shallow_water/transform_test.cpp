#include "gcan/sim/shallow_water/transform.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <string>

#include "gcan/base/random.h"
#include "tests/runner/every_target.h"

namespace gcan::sim::shallow_water {
namespace transform_test {

template <typename T>
SpectralField<T> random_field(const SpectralLayout& layout, int last_degree) {
  base::Random random(5, 0);
  SpectralField<T> field(layout);
  for (int m = 0; m <= layout.truncation; ++m)
    for (int l = m; l <= last_degree; ++l)
      field.set(layout, l, m, {random.normal(), m == 0 ? 0 : random.normal()});
  return field;
}

std::size_t points(int latitudes, int longitudes) {
  return static_cast<std::size_t>(latitudes) * static_cast<std::size_t>(longitudes);
}

TEST(SphericalTransform, SumsTheHarmonics) {
  const int truncation = 9;
  const SphericalTransform<double> transform(truncation, 20,
                                             30);  // 10 northern rows: one line and a padded one
  const auto field = random_field<double>(transform.layout(), truncation + 1);
  std::vector<double> grid(points(20, 30));
  transform.to_grid(field, grid);
  for (std::size_t i = 0; i < grid.size(); ++i) {
    double sum = 0;
    for (int m = 0; m <= truncation; ++m) {
      const auto p = associated_legendre(m, truncation + 1, transform.rule().nodes[i / 30]);
      const auto wave = std::polar(1.0, 2 * std::numbers::pi * m * static_cast<double>(i % 30) / 30);
      for (int l = m; l <= truncation + 1; ++l)
        sum += (m == 0 ? 1 : 2) * static_cast<double>(p[static_cast<std::size_t>(l - m)]) *
               (field.get(transform.layout(), l, m) * wave).real();
    }
    EXPECT_NEAR(grid[i], sum, 1e-12);
  }
}

template <typename T>
double round_trip(int truncation, int latitudes, int longitudes) {
  const SphericalTransform<T> transform(truncation, latitudes, longitudes);
  const auto field = random_field<T>(transform.layout(), truncation + 1);
  std::vector<double> grid(points(latitudes, longitudes));
  transform.to_grid(field, grid);
  const auto back = transform.to_spectral(grid);
  double largest = 0;
  for (std::size_t i = 0; i < back.values().size(); ++i)
    largest = std::max(
        largest, std::abs(static_cast<double>(back.values()[i]) - static_cast<double>(field.values()[i])));
  return largest;
}

TEST(SphericalTransform, RoundTrips) {
  EXPECT_LT(round_trip<double>(2, 4, 8), 1e-14);
  EXPECT_LT(round_trip<double>(10, 16, 32), 1e-13);
  EXPECT_LT(round_trip<double>(21, 34, 64), 1e-12);
  EXPECT_LT(round_trip<double>(31, 48, 96), 1e-12);
  EXPECT_LT(round_trip<double>(62, 96, 192), 1e-12);
  EXPECT_LT(round_trip<double>(42, 64, 128), 1e-12);
  EXPECT_LT(round_trip<double>(85, 128, 256), 1e-12);
}

TEST(SphericalTransform, RoundTripsInFloat) {
  EXPECT_LT(round_trip<float>(31, 48, 96), 1e-5);
  EXPECT_LT(round_trip<float>(62, 96, 192), 2e-5);
}

// All compiled instruction sets that this machine supports agree up to fused rounding.
TEST(SphericalTransform, AgreesOnAllInstructionSets) {
  const SphericalTransform<double> transform(31, 48, 96);
  const auto field = random_field<double>(transform.layout(), 32);
  std::vector<double> best(points(48, 96));
  transform.to_grid(field, best);
  const auto best_back = transform.to_spectral(best);
  test::on_every_target([&] {
    std::vector<double> grid(best.size());
    transform.to_grid(field, grid);
    const auto back = transform.to_spectral(best);
    for (std::size_t i = 0; i < grid.size(); ++i) ASSERT_NEAR(grid[i], best[i], 1e-12);
    for (std::size_t i = 0; i < back.values().size(); ++i)
      ASSERT_NEAR(back.values()[i], best_back.values()[i], 1e-13);
  });
}

// No kernel sums over the lanes of a register, so the width of the registers changes nothing. (Older
// instruction sets round differently, because they have no fused multiply-add.)
TEST(SphericalTransform, DoesNotDependOnTheWidthOfRegisters) {
  const SphericalTransform<double> transform(31, 48, 96);
  const auto field = random_field<double>(transform.layout(), 32);
  std::vector<std::vector<double>> grids, spectra;
  test::on_every_target([&] {
    if (!std::string(hwy::TargetName(hwy::SupportedTargets())).starts_with("AVX")) return;
    grids.emplace_back(points(48, 96));
    transform.to_grid(field, grids.back());
    const auto back = transform.to_spectral(grids.front());
    spectra.emplace_back(back.values().begin(), back.values().end());
  });
  for (const auto& grid : grids) EXPECT_EQ(grid, grids.front());
  for (const auto& spectrum : spectra) EXPECT_EQ(spectrum, spectra.front());
}

}  // namespace transform_test
}  // namespace gcan::sim::shallow_water
