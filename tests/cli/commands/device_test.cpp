// --device of the commands that run networks, on a machine without a GPU.

#include <nlohmann/json.hpp>

#include "tests/cli/run_program.h"
#include "tests/data/scratch.h"

namespace gcan::cli::device_test {
namespace {

using test::expect_error;
using test::Outcome;
using test::run_gcan;
using test::Scratch;

std::string make_config(const Scratch& scratch) {
  const std::string data = scratch / "tetris.h5", config = scratch / "config.toml";
  const Outcome simulated =
      run_gcan({"simulate", "tetris", "--train", "16", "--valid", "8", "--test", "8", "--out", data});
  EXPECT_EQ(simulated.code, 0) << simulated.err;
  std::ofstream(config) << "[model]\nname = \"gca-mlp\"\nchannels = 4\n[data]\nkind = \"tetris\"\nfile = \""
                        << data << "\"\n[train]\nbatch = 8\nsteps = 3\n";
  return config;
}

TEST(Device, IsRecordedAndAcceptedByEveryCommand) {
  const Scratch scratch;
  const std::string config = make_config(scratch), out = scratch / "run";
  const Outcome trained = run_gcan({"train", config, "--out", out, "--device", "auto"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  std::ifstream file(out + "/run.json");
  EXPECT_EQ(nlohmann::json::parse(file)["device"], "cpu");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"evaluate", out, "--device", "auto"},
        {"rollout", out, "--out", out + ".gif", "--device", "cpu"},
        {"predict", out, scratch / "tetris.h5", "--out", out + ".h5", "--device", "cpu"}}) {
    const Outcome outcome = run_gcan(command);
    EXPECT_EQ(outcome.code, 0) << command.front() << ": " << outcome.err;
  }
}

TEST(Device, MissingOneIsReportedBeforeAnythingIsCreated) {
  const Scratch scratch;
  const std::string config = make_config(scratch), run = scratch / "run", table = scratch / "table";
  ASSERT_EQ(run_gcan({"train", config, "--out", scratch / "trained"}).code, 0);
  for (const std::string name : {"cuda", "cuda:1"})
    expect_error(run_gcan({"train", config, "--out", run, "--device", name}), 1, "--device " + name + ": ");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"reproduce", "tetris-mlp", "--out", table},
        {"evaluate", scratch / "trained"},
        {"predict", scratch / "trained", scratch / "tetris.h5", "--out", run + ".h5"},
        {"rollout", scratch / "trained", "--out", run + ".gif"}}) {
    std::vector<std::string> words = command;
    words.insert(words.end(), {"--device", "cuda:1"});
    expect_error(run_gcan(words), 1, "use --device cpu");
  }
  EXPECT_FALSE(std::filesystem::exists(run));
  EXPECT_FALSE(std::filesystem::exists(table));
  for (const std::vector<std::string>& command : {std::vector<std::string>{"train", config},
                                                  {"evaluate", "runs/a"},
                                                  {"rollout", "runs/a"},
                                                  {"predict", "runs/a"},
                                                  {"reproduce", "tetris-mlp"},
                                                  {"reproduce", "runtimes"}}) {
    std::vector<std::string> words = command;
    words.insert(words.end(), {"--device", "gpu"});
    expect_error(run_gcan(words), 2,
                 "--device expects auto, cpu, cuda or a GPU's number as in cuda:1, not 'gpu'");
  }
}

}  // namespace
}  // namespace gcan::cli::device_test
