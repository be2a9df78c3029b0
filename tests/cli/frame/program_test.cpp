// The program as a whole: --help, --version, mistakes on the command line, output that cannot be written.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/cli/run_program.h"

namespace gcan::test {
namespace program_test {

using ::testing::TestWithParam;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Program, VersionShowsEverythingThatAffectsResultsAndSpeed) {
  const Outcome outcome = run_gcan({"--version"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("gcan ")) << outcome.out;
  for (const char* part : {"commit", "compiler", "LibTorch", "SIMD", "threads"}) {
    EXPECT_TRUE(contains(outcome.out, part)) << part << " is missing in " << outcome.out;
  }
}

TEST(Program, VersionShowsTheRequestedThreads) {
  EXPECT_TRUE(contains(run_gcan({"--version", "--threads", "1"}).out, "1 (--threads)"));
  EXPECT_TRUE(contains(run_gcan({"--version"}, {{"OMP_NUM_THREADS=1"}, ""}).out, "1 (OMP_NUM_THREADS)"));
}

TEST(Program, HelpHasExamplesAndNamesEveryCommand) {
  const Outcome outcome = run_gcan({"--help"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"Examples:", "algebra", "doctor", "env", "simulate", "validate", "plot", "export",
                           "import", "reproduce", "--threads", "--version"}) {
    EXPECT_TRUE(contains(outcome.out, part)) << part << " is missing in " << outcome.out;
  }
}

class EveryCommand : public TestWithParam<const char*> {};

TEST_P(EveryCommand, HasHelpWithAnExample) {
  const Outcome outcome = run_gcan({GetParam(), "--help"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, std::string("Usage: gcan ") + GetParam())) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "Example")) << outcome.out;
}

TEST_P(EveryCommand, RejectsAnUnknownOption) {
  expect_error(run_gcan({GetParam(), "--no-such-option"}), 2, "--no-such-option");
}

INSTANTIATE_TEST_SUITE_P(Commands, EveryCommand,
                         ::testing::Values("algebra", "doctor", "env", "evaluate", "export", "export-model",
                                           "import", "list", "merge", "plot", "predict", "report",
                                           "reproduce", "rollout", "simulate", "tensorboard", "train",
                                           "validate", "watch"));

class BadThreads : public TestWithParam<const char*> {};

TEST_P(BadThreads, AreAnErrorInOneSentence) {
  expect_error(run_gcan({"env", "--threads", GetParam()}), 2,
               std::string("--threads expects a whole number from 1 to 1024, not '") + GetParam() + "'");
}

INSTANTIATE_TEST_SUITE_P(Values, BadThreads,
                         ::testing::Values("0", "-1", "abc", "1e9", "1000000000", "2.5",
                                           "99999999999999999999"));

TEST(Program, TakesThreadsBeforeOrAfterTheCommand) {
  expect_error(run_gcan({"--threads", "0", "doctor"}), 2, "'0'");
  expect_error(run_gcan({"doctor", "--threads", "0"}), 2, "'0'");
}

TEST(Program, ReportsMissingArguments) {
  expect_error(run_gcan({}), 2, "gcan --help");
  expect_error(run_gcan({"--threads"}), 2, "--threads");
  expect_error(run_gcan({"--threads", "2"}), 2, "missing command");
}

TEST(Program, SuggestsTheNearestCommandAndOption) {
  expect_error(run_gcan({"--foo"}), 2, "gcan: there is no option '--foo'; see 'gcan --help'");
  expect_error(run_gcan({"doctor", "--foo"}), 2, "there is no option '--foo' of 'gcan doctor'; see");
  expect_error(run_gcan({"doktor"}), 2, "no command 'doktor'; did you mean 'doctor'?");
  expect_error(run_gcan({"docotr"}), 2, "did you mean 'doctor'?");
  expect_error(run_gcan({"xyzzy"}), 2, "no command 'xyzzy'; see 'gcan --help'");
  expect_error(run_gcan({"doctor", "--jsno"}), 2, "did you mean '--json'?");
  expect_error(run_gcan({"doctor", "now"}), 2, "'now'");
}

TEST(Program, DetectsUnwritableOutput) {
  for (const char* argument : {"--help", "--version", "env"}) {
    expect_error(run_gcan({argument}, {{}, "/dev/full"}), 1, "could not be written");
  }
}

TEST(Program, ReportsAMissingTorchProgram) {
  const auto lonely = std::filesystem::temp_directory_path() / ("gcan-lonely-" + std::to_string(getpid()));
  std::filesystem::copy_file(GCAN_PROGRAM, lonely);
  expect_error(run_program({lonely.string(), "doctor"}), 1, "gcan-torch");
  // These need no torch.
  for (const char* word : {"--version", "list", "help", "--help"}) {
    const Outcome outcome = run_program({lonely.string(), word});
    EXPECT_EQ(outcome.code, 0) << word << ": " << outcome.err;
    EXPECT_NE(outcome.out, "") << word;
  }
  std::filesystem::remove(lonely);
}

}  // namespace program_test
}  // namespace gcan::test
