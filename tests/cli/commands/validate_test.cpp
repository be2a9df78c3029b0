#include <gtest/gtest.h>

#include <string>

#include "tests/cli/run_program.h"

namespace gcan::test {
namespace validate_test {

TEST(Validate, PrintsMeasuredAgainstExpected) {
  const Outcome outcome = run_gcan({"validate", "navier-stokes"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part :
       {"measured", "expected", "divergence over 64 steps", "order of diffusion", "checks passed"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << " is missing in " << outcome.out;
}

TEST(Validate, MistakesAreOneSentence) {
  expect_error(run_gcan({"validate"}), 2, "missing simulator");
  expect_error(run_gcan({"validate", "tea"}), 2, "no command 'tea'");
  expect_error(run_gcan({"validate", "shallow-water", "5"}), 2, "'5'");
}

}  // namespace validate_test
}  // namespace gcan::test
