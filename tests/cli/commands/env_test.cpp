#include <gtest/gtest.h>

#include <string>

#include "tests/cli/run_program.h"

namespace gcan::test {
namespace env_test {

const std::vector<std::string> kNothingSet{"OMP_WAIT_POLICY",   "GOMP_SPINCOUNT",   "ATEN_CPU_CAPABILITY",
                                           "OPENBLAS_CORETYPE", "DNNL_MAX_CPU_ISA", "GLIBC_TUNABLES",
                                           "GCAN_HAS_SET"};

TEST(Env, ProposesPassiveWaitingAndMarksIt) {
  const Outcome outcome = run_gcan({"env"}, {kNothingSet, ""});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("export OMP_WAIT_POLICY='passive'\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("export GCAN_HAS_SET='OMP_WAIT_POLICY"), std::string::npos) << outcome.out;
}

TEST(Env, OmitsVariablesThatTheUserHasSet) {
  auto environment = kNothingSet;
  for (std::string& entry : environment) {
    if (entry != "GCAN_HAS_SET") entry += "=mine";
  }
  EXPECT_EQ(run_gcan({"env"}, {environment, ""}).out, "");
}

TEST(Env, IsEmptyAfterItHasBeenEvaluated) {
  const std::string again = "eval \"$(" GCAN_PROGRAM " env)\" && " GCAN_PROGRAM " env";
  const Outcome outcome = run_program({"/bin/sh", "-c", again}, {kNothingSet, ""});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

}  // namespace env_test
}  // namespace gcan::test
