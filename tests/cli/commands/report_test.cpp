// gcan report, from end to end.

#include <gtest/gtest.h>

#include "tests/cli/run_program.h"
#include "tests/cli/tiny_training.h"

namespace gcan::test {
namespace report_test {

namespace fs = std::filesystem;

TEST(Report, OfARunIsInItsFolder) {
  const Scratch scratch;
  const std::string run = tiny_training(scratch);
  const Outcome outcome = run_gcan({"report", run});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "wrote " + run + "/report/index.html\n");
  for (const char* file : {"learning.png", "steps.png", "motion-1.gif", "motion-1.png", "index.html"}) {
    EXPECT_TRUE(fs::exists(run + "/report/" + file)) << file;
  }
  // It is still a run.
  EXPECT_EQ(run_gcan({"evaluate", run}).code, 0);
}

TEST(Report, OfFluids) {
  const Scratch scratch;
  const std::string run = tiny_fluid_training(scratch);
  const Outcome outcome = run_gcan({"report", run});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* file :
       {"learning.png", "rollout-errors.png", "rollout.gif", "rollout.png", "spectrum.png"}) {
    EXPECT_TRUE(fs::exists(run + "/report/" + file)) << file;
  }
}

TEST(Report, ComparesRuns) {
  const Scratch scratch;
  const std::string a = tiny_training(scratch), b = scratch / "other";
  fs::copy(a, b, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  const Outcome outcome = run_gcan({"report", a, b, "--out", scratch / "compared"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(scratch / "compared/motion-2.gif"));
  std::ofstream(scratch / "file") << "x";
  expect_error(run_gcan({"report", a, "--out", scratch / "file/report"}), 1, "file/report");
}

TEST(Report, MistakesAreOneSentence) {
  const Scratch scratch;
  expect_error(run_gcan({"report"}), 2, "gcan report runs/gca-mlp");
  expect_error(run_gcan({"report", scratch / "none"}), 1, "there is no folder");
  fs::create_directories(scratch / "empty");
  expect_error(run_gcan({"report", scratch / "empty"}), 1, "neither a run");
  fs::create_directories(scratch / "broken");
  std::ofstream(scratch / "broken/results.json") << "{";
  expect_error(run_gcan({"report", scratch / "broken"}), 1, "damaged");
  expect_error(run_gcan({"report", scratch / "broken", scratch / "empty"}), 2,
               "cannot be combined with other folders");
}

}  // namespace report_test
}  // namespace gcan::test
