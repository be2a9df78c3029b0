#include <gtest/gtest.h>

#include "tests/cli/run_program.h"

namespace gcan::test {
namespace {

TEST(Reproduce, NamesItsExperiments) {
  const Outcome outcome = run_gcan({"reproduce", "--help"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("runtimes"), std::string::npos) << outcome.out;
  EXPECT_NE(run_gcan({"reproduce", "runtimes", "--help"}).out.find("--grid 96x192"), std::string::npos);
}

TEST(Reproduce, MistakesAreTold) {
  expect_error(run_gcan({"reproduce", "runtimes", "--grid", "96x100"}), 1, "multiples of 8");
  expect_error(run_gcan({"reproduce", "runtimes", "--grid", "big"}), 1, "96x192");
  expect_error(run_gcan({"reproduce", "runtimes", "--batch", "0"}), 2, "--batch");
  expect_error(run_gcan({"reproduce"}), 2, "which experiment?");
}

}  // namespace
}  // namespace gcan::test
