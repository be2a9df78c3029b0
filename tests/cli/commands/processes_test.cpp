// Training by several real processes: gcan train --processes, torchrun, mpirun, ranks that die, hang, or
// differ.

#include <nlohmann/json.hpp>

#include "gcan/base/children.h"
#include "gcan/data/well_file.h"
#include "tests/cli/ranks.h"
#include "tests/data/scratch.h"

namespace gcan::cli::processes_test {
namespace {

using test::expect_error;
using test::Outcome;
using test::run_gcan;
using test::Running;
using test::Scratch;

// A configuration with its data.
std::string make_config(const Scratch& scratch, const std::string& train) {
  const std::string data = scratch / "tetris.h5", config = scratch / "config.toml";
  const Outcome simulated =
      run_gcan({"simulate", "tetris", "--train", "64", "--valid", "72", "--test", "8", "--out", data});
  EXPECT_EQ(simulated.code, 0) << simulated.err;
  std::ofstream(config) << "[model]\nname = \"gca-mlp\"\nchannels = 16\n[data]\nkind = \"tetris\"\nfile = \""
                        << data << "\"\n[train]\nbatch = 8\nthreads = 1\ntimeout = 10.0\n"
                        << train;
  return config;
}

std::vector<nlohmann::json> metrics_of(const std::string& run) {
  std::vector<nlohmann::json> lines;
  std::ifstream file(run + "/metrics.jsonl");
  for (std::string line; std::getline(file, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

std::string bytes_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void expect_same_bits(const std::string& run, const std::string& other) {
  for (const char* name : {"weights", "optimizer", "ema"}) {
    const std::string file = std::string("/checkpoints/last/") + name + ".safetensors";
    EXPECT_FALSE(bytes_of(run + file).empty()) << run + file;
    EXPECT_TRUE(bytes_of(run + file) == bytes_of(other + file)) << name;
  }
}

constexpr const char* kLong =
    "steps = 300\nema = 0.9\nvalidate_every = 50\ncheckpoint_every = 10\nlog_every = 10\n";

TEST(Processes, FourWithTwoExamplesEachMatchOneWithEight) {
  const Scratch scratch;
  const std::string config = make_config(
      scratch,
      "steps = 20\nlog_every = 1\nvalidate_every = 5\nclip = 5.0\naccumulate = 2\nwarmup_steps = 4\n");
  const Outcome one = run_gcan({"train", config, "--out", scratch / "one"});
  ASSERT_EQ(one.code, 0) << one.err;
  for (const std::string count : {"3", "4"}) {  // three do not divide a batch of eight
    const std::string run = scratch / ("run" + count);
    const Outcome many = run_gcan({"train", config, "--out", run, "--processes", count});
    ASSERT_EQ(many.code, 0) << many.err;
    EXPECT_NE(many.out.find("trained " + run), std::string::npos) << many.out;
    const auto expected = metrics_of(scratch / "one"), got = metrics_of(run);
    ASSERT_EQ(expected.size(), got.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      for (const char* key : {"loss", "error"}) {
        ASSERT_EQ(expected[i].contains(key), got[i].contains(key));
        if (!got[i].contains(key)) continue;
        const double value = expected[i][key];
        EXPECT_NEAR(got[i][key].get<double>(), value, 1e-5 * value) << key << " at line " << i;
      }
    }
  }
}

TEST(Processes, BothWireFormatsTrain) {
  const Scratch scratch;
  const std::string config = make_config(scratch, "steps = 40\nvalidate_every = 40\n");
  const auto error_with = [&](const std::string& wire) {
    const Outcome outcome = run_gcan(
        {"train", config, "--out", scratch / wire, "--processes", "2", "--set", "train.wire=" + wire});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return metrics_of(scratch / wire).back()["error"].get<double>();
  };
  const double exact = error_with("float"), rounded = error_with("bfloat16");
  EXPECT_NE(exact, rounded) << "the numbers did travel in bfloat16";
  EXPECT_NEAR(rounded, exact, 0.02 * exact);
}

// Kills one rank in the middle of the run in `folder`, checks that all others report it, and resumes.
void expect_survives(const Scratch& scratch, int size, int signal) {
  const std::string config = make_config(scratch, kLong), run = scratch / "cut", whole = scratch / "whole";
  const std::string count = std::to_string(size);
  ASSERT_EQ(run_gcan({"train", config, "--out", whole, "--processes", count}).code, 0);
  std::vector<Running> ranks = test::start_ranks(size, {"train", config, "--out", run});
  ASSERT_TRUE(test::wait_for_file(run + "/checkpoints/last/state.json", 30));
  ranks[1].signal(signal);
  const auto start = std::chrono::steady_clock::now();
  for (int rank = 0; rank < size; ++rank) {
    if (rank == 1) continue;
    const Outcome outcome = ranks[static_cast<std::size_t>(rank)].wait(14);
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_NE(outcome.err.find("gcan: rank 1 (host "), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(" has not answered for "), std::string::npos) << outcome.err;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(12));
  ranks[1].signal(SIGKILL);
  EXPECT_EQ(ranks[1].wait(10).code, 128 + SIGKILL);
  const Outcome again = run_gcan({"train", run, "--processes", count});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.err.find("resuming from step"), std::string::npos) << again.err;
  expect_same_bits(run, whole);
}

TEST(Processes, KilledOneIsNamedAndTheRunGoesOnBitForBit) {
  const Scratch scratch;
  expect_survives(scratch, 4, SIGKILL);
}

TEST(Processes, StoppedOneIsNamedAndTheRunGoesOnBitForBit) {
  const Scratch scratch;
  expect_survives(scratch, 2, SIGSTOP);
}

TEST(Processes, ASignalStopsAllAndSaves) {
  const Scratch scratch;
  const std::string config = make_config(scratch, kLong), run = scratch / "run";
  Running parent({GCAN_PROGRAM, "train", config, "--out", run, "--processes", "2"}, {});
  ASSERT_TRUE(test::wait_for_file(run + "/checkpoints/last/state.json", 30));
  parent.signal(SIGTERM);
  const Outcome outcome = parent.wait(20);
  EXPECT_EQ(outcome.code, 128 + SIGTERM) << outcome.err;
  EXPECT_NE(outcome.err.find("saved at step"), std::string::npos) << outcome.err;
  // Another number of processes also resumes, with a note.
  const Outcome alone = run_gcan({"train", run});
  EXPECT_EQ(alone.code, 0) << alone.err;
  EXPECT_NE(alone.err.find("the run was started with 2 processes and is resumed with one"), std::string::npos)
      << alone.err;
}

TEST(Processes, DifferencesAreReportedAtTheStart) {
  const Scratch scratch;
  const std::string config = make_config(scratch, "steps = 20\n");
  const auto expect_difference = [&](const std::string& setting, const std::string& part) {
    std::vector<Running> ranks =
        test::start_ranks(2, {"train", config, "--out", scratch / "run"}, [&](int rank) {
          return rank == 1 ? std::vector<std::string>{"--set", setting} : std::vector<std::string>{};
        });
    for (Running& rank : ranks) expect_error(rank.wait(20), 1, part);
    EXPECT_FALSE(std::filesystem::exists(scratch / "run")) << "nothing is made for a run that cannot start";
  };
  expect_difference("train.learning_rate=0.5",
                    "train.learning_rate is 0.001 on rank 0 but 0.5 on rank 1 (host ");
  expect_difference("model.channels=8", "model.channels is 16 on rank 0 but 8 on rank 1");
  expect_difference("data.train=32", "data.train is 0 on rank 0 but 32 on rank 1");
  const std::string other = scratch / "other.h5";
  ASSERT_EQ(run_gcan({"simulate", "tetris", "--seed", "9", "--train", "64", "--valid", "72", "--test", "8",
                      "--out", other})
                .code,
            0);
  expect_difference("data.file=" + other, "the checksum of the data is ");
}

TEST(Processes, MistakesAreReported) {
  const Scratch scratch;
  const std::string config = make_config(scratch, "steps = 20\n");
  expect_error(run_gcan({"train", config, "--processes", "none"}), 2, "--processes expects a whole number");
  expect_error(run_gcan({"train", config}, {{"RANK=4", "WORLD_SIZE=4", "MASTER_ADDR=localhost"}, ""}), 1,
               "the variable RANK is '4', expected a whole number from 0 to 3");
  const Outcome few =
      run_gcan({"train", config, "--out", scratch / "run", "--processes", "2", "--set", "train.batch=1"});
  EXPECT_EQ(few.code, 1);
  EXPECT_NE(few.err.find("train.batch is 1, but 2 processes share it"), std::string::npos) << few.err;
  // Rank 1 never starts.
  Running first({GCAN_PROGRAM, "train", config, "--set", "train.timeout=5"},
                {"RANK=0", "WORLD_SIZE=2", "MASTER_ADDR=127.0.0.1",
                 "MASTER_PORT=" + std::to_string(test::free_port())});
  expect_error(first.wait(20), 1, "rank 1 of 2 did not connect within 5 s");
}

TEST(Processes, SimulateTheSetOfOne) {
  const Scratch scratch;
  const auto simulate = [&](const std::string& out, const std::vector<std::string>& variables) {
    return run_gcan({"simulate", "navier-stokes", "--cells", "16", "--length", "4", "--steps", "8", "--train",
                     "3", "--valid", "1", "--test", "1", "--out", out},
                    {variables, ""});
  };
  ASSERT_EQ(simulate(scratch / "one.h5", {}).code, 0);
  for (const std::string rank : {"0", "1"}) {
    const Outcome part =
        simulate(scratch / "many.h5", {"RANK=" + rank, "WORLD_SIZE=2", "MASTER_ADDR=localhost"});
    ASSERT_EQ(part.code, 0) << part.err;
    EXPECT_TRUE(std::filesystem::exists(scratch / ("many-" + rank + ".h5")));
  }
  const Outcome merged =
      run_gcan({"merge", scratch / "many-1.h5", scratch / "many-0.h5", "--out", scratch / "many.h5"});
  ASSERT_EQ(merged.code, 0) << merged.err;
  const data::WellReader one(scratch / "one.h5"), many(scratch / "many.h5");
  ASSERT_EQ(many.description().splits, one.description().splits);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(many.trajectory(i).fields, one.trajectory(i).fields) << i;
  expect_error(run_gcan({"merge", scratch / "many-1.h5", "--out", scratch / "x.h5"}), 1, "a part is missing");
  expect_error(run_gcan({"merge", "--out", scratch / "x.h5"}), 2, "missing argument FILES");
  expect_error(run_gcan({"merge", scratch / "many-1.h5"}), 2, "missing option --out");
}

TEST(Processes, PartsOfATableMakeTheTable) {
  const Scratch scratch;
  const auto reproduce = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"reproduce", "tetris-mlp",     "--budget", "smoke", "--models",
                                   "mlp",       "--trajectories", "32,64",    "--out", scratch / "table"};
    words.insert(words.end(), more.begin(), more.end());
    return run_gcan(words);
  };
  const Outcome list = reproduce({"--list"});
  ASSERT_EQ(list.code, 0) << list.err;
  EXPECT_EQ(std::count(list.out.begin(), list.out.end(), '\n'), 2) << list.out;
  EXPECT_FALSE(std::filesystem::exists(scratch / "table")) << "it only lists";
  const auto runs = [&] {
    const std::filesystem::path folder = scratch / "table/runs";
    if (!std::filesystem::exists(folder)) return std::ptrdiff_t{0};
    return std::distance(std::filesystem::directory_iterator(folder), {});
  };
  for (const auto& [part, done] : {std::pair("0/2", 0), std::pair("1/2", 1), std::pair("2/2", 2)}) {
    const Outcome outcome = reproduce({"--cells", part});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(runs(), done) << part;
    EXPECT_FALSE(std::filesystem::exists(scratch / "table/results.md"));
  }
  const Outcome table = reproduce({});
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.err.find("2 of 2 runs are finished already"), std::string::npos) << table.err;
  EXPECT_TRUE(std::filesystem::exists(scratch / "table/results.md"));
  for (const char* wrong : {"3/2", "x", "1", "1/0", "1/2x"}) {
    expect_error(reproduce({"--cells", wrong}), 2, "--cells expects I/N");
  }
}

// With real launchers, if they are installed.
void expect_trains_under(const std::vector<std::string>& launcher,
                         const std::vector<std::string>& variables) {
  const std::string program = base::find_program(launcher.front());
  if (program.empty()) GTEST_SKIP() << launcher.front() << " is not installed";
  const Scratch scratch;
  const std::string config = make_config(scratch, "steps = 20\nlog_every = 1\nema = 0.9\n");
  std::vector<std::string> command = launcher;
  command.front() = program;
  for (const std::string word : {GCAN_PROGRAM, "train", config.c_str(), "--out"}) command.push_back(word);
  command.push_back(scratch / "launched");
  const Outcome outcome = test::run_program(command, {variables, ""});
  if (outcome.err.find("without libuv support") != std::string::npos)
    GTEST_SKIP() << launcher.front() << " of this PyTorch starts nothing";
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  ASSERT_EQ(run_gcan({"train", config, "--out", scratch / "own", "--processes", "2"}).code, 0);
  expect_same_bits(scratch / "launched", scratch / "own");
}

TEST(Processes, TrainUnderMpirun) {
  expect_trains_under({"mpirun", "--oversubscribe", "-n", "2"},
                      {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"});
}

TEST(Processes, TrainUnderTorchrun) {
  // Debian 12's torchrun with Python 3.11 fails without -r and -t.
  expect_trains_under({"torchrun", "--no_python", "--nproc_per_node", "2", "--master_port",
                       std::to_string(test::free_port()), "-r", "2", "-t", "2"},
                      {});
}

}  // namespace
}  // namespace gcan::cli::processes_test
