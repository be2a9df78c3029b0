#include "gcan/train/tasks/flow_measures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "gcan/sim/shallow_water/simulate.h"

namespace gcan::train {
namespace flow_measures_test {

constexpr double kPi = std::numbers::pi;

data::Description box(std::int64_t side) {
  data::Description d;
  d.grid_type = "cartesian";
  std::vector<double> at;
  for (std::int64_t i = 0; i < side; ++i)
    at.push_back(2 * kPi * static_cast<double>(i) / static_cast<double>(side));
  d.space = {data::Axis{"x", "m", at, "PERIODIC"}, data::Axis{"y", "m", at, "PERIODIC"}};
  return d;
}

data::Description sphere(int truncation) {
  sim::shallow_water::Options options;
  sim::shallow_water::set_truncation(options, truncation);
  const auto grid = sim::shallow_water::describe(options);
  data::Description d;
  d.grid_type = "spherical";
  d.space = {data::Axis{"latitude", "degrees_north", grid.latitudes, "OPEN"},
             data::Axis{"longitude", "degrees_east", grid.longitudes, "PERIODIC"}};
  d.area = grid.area;
  return d;
}

const std::vector<FieldPlanes> kFields{{0, 1}, {1, 2}};

// u = sin(3 y), v = cos(2 x): vorticity -2 sin(2 x) - 3 cos(3 y).
TEST(FlowMeasures, OfWavesInABox) {
  const std::int64_t side = 128;
  const FlowMeasures measures(box(side), kFields);
  const torch::Tensor at = torch::arange(side, torch::kFloat64) * (2 * kPi / static_cast<double>(side));
  const torch::Tensor x = at.unsqueeze(1).expand({side, side}), y = at.unsqueeze(0).expand({side, side});
  const torch::Tensor frame = torch::stack({x.sin().square() + 2, (3 * y).sin(), (2 * x).cos()});
  EXPECT_NEAR(measures.mass(frame).item<double>(), 2.5, 1e-12);
  const torch::Tensor expected = -2 * (2 * x).sin() - 3 * (3 * y).cos();
  EXPECT_LT((measures.vorticity(frame) - expected).abs().max().item<double>(), 0.02);
  EXPECT_NEAR(measures.enstrophy(frame).item<double>(), (2.0 + 4.5) / 2, 0.02);
  const torch::Tensor spectrum = measures.spectrum(frame);
  ASSERT_EQ(spectrum.numel(), side / 2 + 1);
  EXPECT_NEAR(spectrum[3].item<double>(), 0.25, 1e-12);
  EXPECT_NEAR(spectrum[2].item<double>(), 0.25, 1e-12);
  EXPECT_NEAR(spectrum.sum().item<double>(), 0.5, 1e-12) << "half the mean square";
}

// A rotating body: u = cos(latitude) has the vorticity 2 sin(latitude).
TEST(FlowMeasures, OfARotatingSphere) {
  const data::Description d = sphere(42);
  const FlowMeasures measures(d, kFields);
  const torch::Tensor latitude = torch::tensor(d.space[0].values, torch::kFloat64) * (kPi / 180);
  const torch::Tensor longitude = torch::tensor(d.space[1].values, torch::kFloat64) * (kPi / 180);
  const torch::Tensor u = latitude.cos().unsqueeze(1).expand({latitude.numel(), longitude.numel()});
  const torch::Tensor wave = (5 * longitude).sin().expand_as(u);
  const torch::Tensor frame = torch::stack({latitude.sin().square().unsqueeze(1).expand_as(u), u, 0 * u});
  EXPECT_NEAR(measures.mass(frame).item<double>(), 1.0 / 3, 1e-12) << "weighed by area";
  EXPECT_NEAR(measures.enstrophy(frame).item<double>(), 2.0 / 3, 0.01);
  const torch::Tensor spectrum = measures.spectrum(torch::stack({u, u, wave}));
  EXPECT_NEAR(spectrum[0].item<double>(), 1.0 / 3, 1e-12);
  EXPECT_NEAR(spectrum[5].item<double>(), 0.25, 1e-12);
  EXPECT_NEAR(spectrum.sum().item<double>(), 1.0 / 3 + 0.25, 1e-12);
}

// Many frames at once give what each gives alone, whatever leads the planes.
TEST(FlowMeasures, OfManyFrames) {
  torch::manual_seed(1);
  for (const data::Description& d : {box(12), sphere(21)}) {
    const FlowMeasures measures(d, kFields);
    const auto rows = static_cast<std::int64_t>(d.space[0].values.size());
    const auto columns = static_cast<std::int64_t>(d.space[1].values.size());
    const torch::Tensor frames = torch::randn({2, 5, 3, rows, columns});
    for (std::int64_t i = 0; i < 2; ++i) {
      for (std::int64_t j = 0; j < 5; ++j) {
        EXPECT_TRUE(measures.mass(frames)[i][j].allclose(measures.mass(frames[i][j])));
        EXPECT_TRUE(measures.enstrophy(frames)[i][j].allclose(measures.enstrophy(frames[i][j])));
        EXPECT_TRUE(measures.spectrum(frames)[i][j].allclose(measures.spectrum(frames[i][j])));
      }
    }
  }
}

TEST(FlowMeasures, WithoutAVectorTheScalarHasASpectrum) {
  const FlowMeasures measures(box(16), {{0, 1}});
  EXPECT_FALSE(measures.has_vector());
  const torch::Tensor plane = torch::randn({1, 16, 16}, torch::kFloat64);
  EXPECT_LE(measures.spectrum(plane).sum().item<double>(), plane.square().mean().item<double>() / 2 + 1e-12);
  EXPECT_FALSE(FlowMeasures(box(16), {{0, 2}}).has_scalar());
}

}  // namespace flow_measures_test
}  // namespace gcan::train
