// Against states computed by the original data set's solver (64 x 64, conjugate gradients), read from
// tests/data/reference.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>
#include <string>
#include <vector>

#include "gcan/sim/smoke/solver.h"
#include "tests/runner/source_dir.h"

namespace gcan::sim::smoke {
namespace smoke_reference_test {

std::vector<double> read(hid_t file, const char* name) {
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  EXPECT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << name;
  H5Sclose(space);
  H5Dclose(set);
  return values;
}

double read_attribute(hid_t file, const char* name) {
  const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
  double value = NAN;
  EXPECT_GE(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value), 0) << name;
  H5Aclose(attribute);
  return value;
}

struct Errors {
  double largest = 0, square_sum = 0;
  int count = 0;
  void add(double difference) {
    largest = std::max(largest, std::abs(difference));
    square_sum += difference * difference;
    ++count;
  }
  double rms() const { return std::sqrt(square_sum / count); }
};

class SmokeReference : public testing::Test {
 protected:
  void SetUp() override {
    const std::string path = test::reference_file("ns_smoke_64.h5");
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    ASSERT_GE(file, 0) << path;
    options.cells = 64;
    options.length = read_attribute(file, "L");
    options.time_step = read_attribute(file, "dt");
    options.viscosity = read_attribute(file, "nu");
    options.buoyancy = read_attribute(file, "buoyancy_y");
    start = read(file, "smoke0");
    steps = read(file, "steps");
    smoke = read(file, "smoke");
    velocity = read(file, "velocity_staggered");
    H5Fclose(file);
  }

  // Differences of all three fields from frame `frame` of the reference, which has 65 x 65 faces of both
  // components, of which component x uses 65 x 64 and component y 64 x 65.
  template <class Real>
  Errors compare(const State<Real>& state, std::size_t frame) const {
    Errors errors;
    for (int i = 0; i < 64; ++i)
      for (int j = 0; j < 64; ++j) errors.add(state.smoke(i, j) - smoke[frame * 4096 + index(i, j, 64)]);
    for (int i = 0; i <= 64; ++i)
      for (int j = 0; j <= 64; ++j) {
        const double* faces = velocity.data() + 2 * (frame * 65 * 65 + index(i, j, 65));
        if (j < 64) errors.add(state.u(i, j) - faces[0]);
        if (i < 64) errors.add(state.v(i, j) - faces[1]);
      }
    return errors;
  }

  // Errors at each of the reference's steps.
  template <class Real>
  std::vector<Errors> run() const {
    Solver<Real> solver(options);
    State<Real> state(64);
    for (std::size_t i = 0; i < start.size(); ++i) state.smoke.values()[i] = static_cast<Real>(start[i]);
    std::vector<Errors> errors;
    for (int step = 1; errors.size() < steps.size(); ++step) {
      solver.step(state);
      if (step == static_cast<int>(steps[errors.size()])) errors.push_back(compare(state, errors.size()));
    }
    return errors;
  }

  static std::size_t index(int i, int j, int columns) { return static_cast<std::size_t>(i * columns + j); }

  Options options;
  std::vector<double> start, steps, smoke, velocity;
};

TEST_F(SmokeReference, OneStepAndSixtyFourStepsAgree) {
  const auto errors = run<double>();
  for (std::size_t i = 0; i < errors.size(); ++i) {
    std::printf("after step %2.0f: largest difference %.2e, rms %.2e\n", steps[i], errors[i].largest,
                errors[i].rms());
  }
  ASSERT_EQ(steps.front(), 1);
  ASSERT_EQ(steps.back(), 64);
  EXPECT_LT(errors.front().largest, 1e-5);
  EXPECT_LT(errors.back().rms(), 3e-4);
}

TEST_F(SmokeReference, FloatStaysAsCloseAsTheReferencesOwnSolverTolerance) {
  const auto errors = run<float>();
  std::printf("float: after step 64 largest difference %.2e, rms %.2e\n", errors.back().largest,
              errors.back().rms());
  EXPECT_LT(errors.front().largest, 3e-5);
  EXPECT_LT(errors.back().rms(), 3e-4);
}

}  // namespace smoke_reference_test
}  // namespace gcan::sim::smoke
