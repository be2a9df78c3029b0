// Against a run of an independent NumPy model (shared/reference/sw_t62.h5): T62, dt 3290 s, real orography,
// start from given vorticity.

#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "gcan/sim/shallow_water/model.h"
#include "tests/runner/source_dir.h"

namespace gcan::sim::shallow_water {
namespace reference_test {

std::filesystem::path reference_file() {
  const char* folder = std::getenv("GCAN_REFERENCE_DIR");
  const std::filesystem::path base = folder != nullptr
                                         ? std::filesystem::path(folder)
                                         : std::filesystem::path(test::source_dir()) / "../shared/reference";
  return base / "sw_t62.h5";
}

class ReferenceFile {
 public:
  ReferenceFile() : file_(H5Fopen(reference_file().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {}
  ~ReferenceFile() { H5Fclose(file_); }
  ReferenceFile(const ReferenceFile&) = delete;
  ReferenceFile& operator=(const ReferenceFile&) = delete;

  std::vector<double> read(const char* name) const {
    const hid_t set = H5Dopen2(file_, name, H5P_DEFAULT);
    const hid_t space = H5Dget_space(set);
    std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    EXPECT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << name;
    H5Sclose(space);
    H5Dclose(set);
    return values;
  }
  // NumPy stores complex numbers as a compound of "r" and "i".
  std::vector<std::complex<double>> read_complex(const char* name, std::size_t count) const {
    const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(std::complex<double>));
    H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "i", sizeof(double), H5T_NATIVE_DOUBLE);
    const hid_t set = H5Dopen2(file_, name, H5P_DEFAULT);
    std::vector<std::complex<double>> values(count);
    EXPECT_GE(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << name;
    H5Dclose(set);
    H5Tclose(type);
    return values;
  }

 private:
  hid_t file_;
};

// Largest difference over the largest value of the reference, at one of its frames.
double relative_error(const std::vector<double>& ours, const std::vector<double>& reference,
                      std::size_t frame) {
  double error = 0;
  double scale = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    error = std::max(error, std::abs(ours[i] - reference[frame * ours.size() + i]));
    scale = std::max(scale, std::abs(reference[frame * ours.size() + i]));
  }
  return scale == 0 ? error : error / scale;
}

template <typename T>
void compare_run(double first_tolerance, double last_tolerance) {
  if (!std::filesystem::exists(reference_file()))
    GTEST_SKIP() << "no " << reference_file() << "; set GCAN_REFERENCE_DIR to the folder that holds it";
  const ReferenceFile file;
  Options o = paper_preset();
  o.orography = Orography::kGiven;
  o.orography_height = file.read("orography");
  const Model<T> model(o);
  Level<T> start(model.layout());
  const auto vorticity = file.read_complex("vorticity0", 63 * 63);
  for (int l = 0; l <= 62; ++l)
    for (int m = 0; m <= l; ++m)
      start.vorticity.set(model.layout(), l, m, vorticity[static_cast<std::size_t>(l * 63 + m)]);
  State<T> state = model.start(start);
  const auto steps = file.read("steps");
  const auto u = file.read("u"), v = file.read("v"), pres = file.read("pres"), vor = file.read("vor"),
             div = file.read("div");
  for (std::size_t frame = 0; frame < steps.size(); ++frame) {
    while (state.step < static_cast<int>(steps[frame])) model.advance(state);
    const GridFields ours = model.on_grid(state.new_level);
    const double worst =
        std::max({relative_error(ours.u, u, frame), relative_error(ours.v, v, frame),
                  relative_error(ours.eta, pres, frame), relative_error(ours.vorticity, vor, frame),
                  relative_error(ours.divergence, div, frame)});
    const double tolerance = state.step <= 10 ? first_tolerance : last_tolerance;
    EXPECT_LT(worst, tolerance) << "step " << state.step;
    ::testing::Test::RecordProperty("step_" + std::to_string(state.step),
                                    std::to_string(worst * 1e15) + "e-15");
  }
}

// Seen: 3e-13 at step 4, 7e-13 at 10, 2.5e-12 at 58 and no growth after, to step 520.
TEST(Reference, WholeRunInDouble) { compare_run<double>(1e-11, 1e-10); }

// Seen: 6e-6 at step 4, 2e-5 at step 520.
TEST(Reference, WholeRunInFloat) { compare_run<float>(5e-5, 5e-4); }

}  // namespace reference_test
}  // namespace gcan::sim::shallow_water
