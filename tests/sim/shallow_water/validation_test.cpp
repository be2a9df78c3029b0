#include "gcan/sim/shallow_water/validation.h"

#include <gtest/gtest.h>

#include <string>

namespace gcan::sim::shallow_water {
namespace validation_test {

void expect_passed(const std::vector<Check>& checks) {
  ASSERT_FALSE(checks.empty());
  for (const Check& check : checks)
    EXPECT_NEAR(check.measured, check.expected, check.tolerance) << check.name << " [" << check.unit << ']';
}

TEST(Validation, Transforms) {
  for (const int truncation : {31, 62, 127}) expect_passed(check_transforms(truncation));
}
TEST(Validation, SteadyFlow) { expect_passed(check_steady_flow()); }
TEST(Validation, GravityWaves) { expect_passed(check_gravity_waves()); }
TEST(Validation, Mountain) { expect_passed(check_mountain()); }
TEST(Validation, RossbyHaurwitz) { expect_passed(check_rossby_haurwitz()); }
TEST(Validation, Jet) { expect_passed(check_jet()); }
TEST(Validation, Convergence) { expect_passed(check_convergence()); }
TEST(Validation, Float) { expect_passed(check_float()); }

TEST(Validation, ACheckCanFail) {
  EXPECT_TRUE((Check{"", "", 1.05, 1, 0.1}.passed()));
  EXPECT_FALSE((Check{"", "", 1.15, 1, 0.1}.passed()));
  EXPECT_FALSE((Check{"", "", std::stod("nan"), 1, 0.1}.passed()));
}

TEST(Validation, StatisticsOfTrajectories) {
  Options o = small_preset();
  o.frames = 6;
  const auto statistics = trajectory_statistics(o, 2, 1);
  ASSERT_EQ(statistics.size(), 3U);
  EXPECT_EQ(statistics[2].name, "pres");
  for (const FieldStatistics& s : statistics) {
    EXPECT_LT(s.smallest, s.mean - s.deviation);
    EXPECT_GT(s.largest, s.mean + s.deviation);
    EXPECT_GT(s.persistence, 0.01);
    EXPECT_LT(s.persistence, 1.5);
  }
}

}  // namespace validation_test
}  // namespace gcan::sim::shallow_water
