#include "gcan/sim/smoke/validation.h"

#include <gtest/gtest.h>

namespace gcan::sim::smoke {
namespace smoke_validation_test {

void expect_passed(const std::vector<Check>& checks) {
  ASSERT_FALSE(checks.empty());
  for (const Check& check : checks)
    EXPECT_NEAR(check.measured, check.expected, check.tolerance) << check.name << " [" << check.unit << ']';
}

TEST(SmokeValidation, Conservation) { expect_passed(check_conservation()); }
TEST(SmokeValidation, Symmetry) { expect_passed(check_symmetry()); }
TEST(SmokeValidation, Order) { expect_passed(check_order()); }
TEST(SmokeValidation, Float) { expect_passed(check_float()); }

}  // namespace smoke_validation_test
}  // namespace gcan::sim::smoke
