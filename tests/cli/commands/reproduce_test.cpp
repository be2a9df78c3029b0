// gcan reproduce, from end to end on a few steps.

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/cli/run_program.h"
#include "tests/data/scratch.h"

namespace gcan::test {
namespace reproduce_test {

namespace fs = std::filesystem;

std::vector<std::string> command(const std::string& out, const std::vector<std::string>& more = {},
                                 const std::string& models = "mlp,gca-mlp") {
  std::vector<std::string> words{"reproduce", "tetris-mlp",     "--budget", "smoke", "--models",
                                 models,      "--trajectories", "32",       "--out", out};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::size_t runs_in(const std::string& out) {
  std::size_t count = 0;
  for (const auto& run : fs::directory_iterator(fs::path(out) / "runs"))
    count += fs::exists(run.path() / "result.json");
  return count;
}

TEST(Reproduce, RunsPrintsWritesAndKeepsExistingRuns) {
  const Scratch scratch;
  const std::string out = scratch / "experiment";
  const Outcome first = run_gcan(command(out));
  EXPECT_EQ(first.code, 0) << first.err;
  for (const char* part : {"MLP, paper", "MLP, ours", "GCA-MLP, ours", "constant velocity",
                           "Steps: 16 instead of", "Seeds: 1", "results.md", "report/index.html"}) {
    EXPECT_NE(first.out.find(part), std::string::npos) << part << "\n" << first.out;
  }
  EXPECT_NE(first.err.find("[2/2]"), std::string::npos) << first.err;
  const auto json = nlohmann::json::parse(contents(out + "/results.json"));
  ASSERT_EQ(json["cells"].size(), 2U);
  EXPECT_TRUE(fs::exists(out + "/report/trajectories.png"));

  const Outcome second = run_gcan(command(out));
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_NE(second.err.find("2 of 2 runs are finished already"), std::string::npos) << second.err;
  EXPECT_NE(second.out.find("up to date: "), std::string::npos) << second.out;
  EXPECT_EQ(nlohmann::json::parse(contents(out + "/results.json")), json);
}

// A fluid experiment, and the contents of its table.
struct Fluid {
  const char* name;
  std::vector<std::string> titles;
  const char* scalar;
};
// The name of the test.
void PrintTo(const Fluid& fluid, std::ostream* out) { *out << fluid.name; }

class ReproduceFluid : public testing::TestWithParam<Fluid> {};

TEST_P(ReproduceFluid, RunsPrintsAndWrites) {
  const Scratch scratch;
  const std::string out = scratch / "experiment";
  const std::vector<std::string> words{"reproduce", GetParam().name, "--budget", "smoke", "--out", out};
  const Outcome first = run_gcan(words);
  EXPECT_EQ(first.code, 0) << first.err;
  std::vector<std::string> parts{"persistence",  "scaled_l2",    "rollout_5",
                                 "rollout_long", "mass_drift",   "enstrophy_drift",
                                 "parameters",   "Budget smoke", "epochs, each trajectory once"};
  parts.push_back(std::string("one_step/") + GetParam().scalar);
  for (const std::string& title : GetParam().titles)
    for (const char* row : {", paper", ", ours"}) parts.push_back(title + row);
  for (const std::string& part : parts)
    EXPECT_NE(first.out.find(part), std::string::npos) << part << "\n" << first.out;
  const auto json = nlohmann::json::parse(contents(out + "/results.json"));
  EXPECT_EQ(json["cells"].size(), GetParam().titles.size());
  EXPECT_EQ(json["plan"]["epochs"], 0);
  EXPECT_TRUE(json["trivial"].contains("persistence"));
  EXPECT_TRUE(fs::exists(out + "/report/trajectories.png"));
  EXPECT_NE(contents(out + "/report/index.html").find("rollout_long"), std::string::npos);

  const Outcome second = run_gcan(words);
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_NE(second.err.find("runs are finished already"), std::string::npos) << second.err;
}

INSTANTIATE_TEST_SUITE_P(
    All, ReproduceFluid,
    testing::Values(Fluid{"shallow-water-resnet", {"ResNet", "CResNet", "CResNet_rot", "GCA-ResNet"}, "eta"},
                    Fluid{"shallow-water-unet", {"CUNet", "CUNet_rot", "UNet", "GCA-UNet"}, "eta"},
                    Fluid{"navier-stokes", {"UNet", "GCA-UNet"}, "smoke"}));

TEST(Reproduce, MistakesInFluidExperimentsAreOneSentence) {
  const Scratch scratch;
  const std::string out = scratch / "out";
  const auto with = [&](const std::string& option, const std::string& value) {
    return run_gcan({"reproduce", "shallow-water-unet", option, value, "--out", out});
  };
  expect_error(with("--models", "gca-unt"), 2, "did you mean 'gca-unet'?");
  expect_error(with("--models", "resnet"), 2, "no network 'resnet' in 'shallow-water-unet'");
  expect_error(with("--budget", "smok"), 2, "did you mean 'smoke'?");
  expect_error(with("--epochs", "0"), 2, "epochs");
  expect_error(with("--trajectories", "0"), 2, "not '0'");
  expect_error(with("--steps", "5"), 2, "--steps");
  expect_error(with("--protocol", "ours"), 2, "--protocol");
  expect_error(run_gcan({"reproduce", "navier-stoks"}), 2, "did you mean 'navier-stokes'?");
  EXPECT_FALSE(fs::exists(out));
}

// Starts gcan, sends it a signal as soon as a run has begun, and returns its exit code.
int stopped_by(int signal, const std::vector<std::string>& arguments, const std::string& out) {
  std::vector<std::string> words = arguments;
  words.insert(words.begin(), GCAN_PROGRAM);
  const pid_t child = fork();
  if (child == 0) {
    const int log = open((out + ".log").c_str(), O_WRONLY | O_CREAT, 0600);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    execv(words.front().c_str(), detail::pointers(words).data());
    _exit(127);
  }
  const auto begun = [&] {
    if (!fs::exists(out + "/runs")) return false;
    for (const auto& run : fs::directory_iterator(out + "/runs")) {
      if (fs::exists(run.path() / "metrics.jsonl") && fs::file_size(run.path() / "metrics.jsonl") > 0)
        return true;
    }
    return false;
  };
  for (int i = 0; i < 3000 && !begun(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  kill(child, signal);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Reproduce, ResumesToTheResultOfAnUninterruptedRun) {
  const Scratch scratch;
  const std::string out = scratch / "stopped";
  // Enough steps that the signal arrives in the middle, before the second run starts.
  const std::vector<std::string> more{"--steps", "400", "--seeds", "2", "--jobs", "1"};
  EXPECT_EQ(stopped_by(SIGINT, command(out, more, "mlp"), out), 128 + SIGINT) << contents(out + ".log");
  EXPECT_NE(contents(out + ".log").find("resume with 'gcan reproduce tetris-mlp --budget smoke"),
            std::string::npos)
      << contents(out + ".log");
  EXPECT_EQ(runs_in(out), 0U);
  EXPECT_FALSE(fs::exists(out + "/results.json"));
  const Outcome rest = run_gcan(command(out, more, "mlp"));
  EXPECT_EQ(rest.code, 0) << rest.err;
  const auto cells = nlohmann::json::parse(contents(out + "/results.json"))["cells"];
  ASSERT_EQ(cells.size(), 2U);
  // The first run again, alone and without interruption.
  const Outcome alone =
      run_gcan({"train", out + "/configs/smoke-mlp-32-ours-400-1.toml", "--out", scratch / "alone"});
  EXPECT_EQ(alone.code, 0) << alone.err;
  EXPECT_EQ(cells[0]["test"], nlohmann::json::parse(contents(scratch / "alone/result.json"))["test"]);
}

TEST(Reproduce, MistakesAreOneSentence) {
  const Scratch scratch;
  const std::string out = scratch / "out";
  expect_error(run_gcan(command(out, {}, "gca-mpl")), 2, "did you mean 'gca-mlp'?");
  expect_error(run_gcan(command(out, {"--protocol", "our"})), 2, "did you mean 'ours'?");
  expect_error(run_gcan({"reproduce", "tetris-mlp", "--budget", "laptp", "--out", out}), 2,
               "did you mean 'laptop'?");
  expect_error(run_gcan(command(out, {"--trajectories", "-5"})), 2, "-5");
  expect_error(run_gcan(command(out, {"--steps", "0"})), 2, "steps");
  expect_error(run_gcan(command(out, {"--seeds", "many"})), 2, "seeds");
  expect_error(run_gcan({"reproduce"}), 2, "missing experiment");
  expect_error(run_gcan({"reproduce", "tetris-mpl"}), 2, "did you mean 'tetris-mlp'?");
  EXPECT_FALSE(fs::exists(out));
}

TEST(Reproduce, AFolderThatCannotBeWrittenIsNamed) {
  const Scratch scratch;
  std::ofstream(scratch / "file") << "x";
  expect_error(run_gcan(command(scratch / "file/out")), 1, "file/out");
}

TEST(Reproduce, NamesItsExperiments) {
  const Outcome outcome = run_gcan({"reproduce", "--help"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("runtimes"), std::string::npos) << outcome.out;
  EXPECT_NE(run_gcan({"reproduce", "runtimes", "--help"}).out.find("--grid 96x192"), std::string::npos);
}

TEST(Reproduce, MistakesInRuntimesAreReported) {
  expect_error(run_gcan({"reproduce", "runtimes", "--grid", "96x100"}), 1, "multiples of 8");
  expect_error(run_gcan({"reproduce", "runtimes", "--grid", "big"}), 1, "96x192");
  expect_error(run_gcan({"reproduce", "runtimes", "--batch", "0"}), 2, "--batch");
}

}  // namespace reproduce_test
}  // namespace gcan::test
