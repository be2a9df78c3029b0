// Training by several real processes: gcan train --processes, torchrun, mpirun, ranks that die, hang, or
// differ.

#include <memory>
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

void expect_same_losses(const std::string& run, const std::string& other) {
  const auto got = metrics_of(run), expected = metrics_of(other);
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

// Long enough to be interrupted.
constexpr const char* kLong =
    "steps = 120\nema = 0.9\nvalidate_every = 40\ncheckpoint_every = 10\nlog_every = 10\n";

// The tests share the data, and runs that nothing interrupts.
class Processes : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = std::make_unique<Scratch>();
    const Outcome simulated = run_gcan(
        {"simulate", "tetris", "--train", "64", "--valid", "72", "--test", "8", "--out", data_file()});
    ASSERT_EQ(simulated.code, 0) << simulated.err;
  }
  static void TearDownTestSuite() { shared_.reset(); }

  static std::string data_file() { return *shared_ / "tetris.h5"; }

  // A configuration with these lines of [train].
  [[nodiscard]] std::string make_config(const std::string& train) const {
    std::string path = scratch / "config.toml";
    std::ofstream(path) << "[model]\nname = \"gca-mlp\"\nchannels = 16\n[data]\nkind = \"tetris\"\nfile = \""
                        << data_file() << "\"\n[train]\nbatch = 8\nthreads = 1\ntimeout = 5.0\n"
                        << train;
    return path;
  }

  // The folder of a run of kLong by so many processes.
  [[nodiscard]] std::string whole(int count) const {
    std::string run = *shared_ / ("whole" + std::to_string(count));
    if (std::filesystem::exists(run)) return run;
    const Outcome outcome =
        run_gcan({"train", make_config(kLong), "--out", run, "--processes", std::to_string(count)});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("trained " + run), std::string::npos) << outcome.out;
    return run;
  }

  void expect_survives(int size, int lost, int signal, const std::string& sentence) const;

  const Scratch scratch;

 private:
  static inline std::unique_ptr<Scratch> shared_;
};

TEST_F(Processes, FourWithTwoExamplesEachMatchOneWithEight) {
  const std::string config = make_config(
      "steps = 20\nlog_every = 1\nvalidate_every = 5\nclip = 5.0\naccumulate = 2\nwarmup_steps = 4\n");
  const Outcome one = run_gcan({"train", config, "--out", scratch / "one"});
  ASSERT_EQ(one.code, 0) << one.err;
  for (const std::string count : {"3", "4"}) {  // three do not divide a batch of eight
    const std::string run = scratch / ("run" + count);
    const Outcome many = run_gcan({"train", config, "--out", run, "--processes", count});
    ASSERT_EQ(many.code, 0) << many.err;
    expect_same_losses(run, scratch / "one");
  }
}

TEST_F(Processes, BothWireFormatsTrain) {
  const std::string config = make_config("steps = 20\nvalidate_every = 20\n");
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

// One rank is lost in the middle of a run: all others say so in time, and the run goes on to the same bits.
void Processes::expect_survives(int size, int lost, int signal, const std::string& sentence) const {
  const std::string config = make_config(kLong), run = scratch / "cut";
  std::vector<Running> ranks = test::start_ranks(size, {"train", config, "--out", run});
  ASSERT_TRUE(test::wait_for_file(run + "/checkpoints/last/state.json", 30));
  Running& one = ranks[static_cast<std::size_t>(lost)];
  one.signal(signal);
  const auto start = std::chrono::steady_clock::now();
  for (Running& rank : ranks) {
    if (&rank == &one) continue;
    const Outcome outcome = rank.wait(9);
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_NE(outcome.err.find("gcan: rank "), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("rank " + std::to_string(lost) + " (host "), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(sentence), std::string::npos) << outcome.err;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(7));
  one.signal(SIGKILL);
  EXPECT_EQ(one.wait(10).code, 128 + SIGKILL);
  const Outcome again = run_gcan({"train", run, "--processes", std::to_string(size)});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.err.find("resuming from step"), std::string::npos) << again.err;
  expect_same_bits(run, whole(size));
}

TEST_F(Processes, KilledOneIsNamedAndTheRunGoesOnBitForBit) {
  expect_survives(4, 1, SIGKILL, " has not answered for ");
}

// Rank 0 serves the rendezvous.
TEST_F(Processes, StoppedFirstOneIsNamedAndTheRunGoesOnBitForBit) {
  expect_survives(2, 0, SIGSTOP, "has had no contact with the rendezvous");
}

TEST_F(Processes, ASignalStopsAllAndSaves) {
  const std::string config = make_config(kLong), run = scratch / "run";
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

TEST_F(Processes, DifferencesAreReportedAtTheStart) {
  const std::string config = make_config("steps = 20\n");
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
  const std::string other = scratch / "other.h5";
  ASSERT_EQ(run_gcan({"simulate", "tetris", "--seed", "9", "--train", "64", "--valid", "72", "--test", "8",
                      "--out", other})
                .code,
            0);
  expect_difference("data.file=" + other, "the checksum of the data is ");
}

TEST_F(Processes, MistakesAreTold) {
  const std::string config = make_config("steps = 20\n");
  expect_error(run_gcan({"train", config, "--processes", "none"}), 2, "--processes expects a whole number");
  expect_error(run_gcan({"train", config}, {{"RANK=4", "WORLD_SIZE=4", "MASTER_ADDR=localhost"}, ""}), 1,
               "the variable RANK is '4', expected a whole number from 0 to 3");
  const std::string port = std::to_string(test::free_port());
  const Outcome alone = run_gcan(
      {"train", config}, {{"RANK=1", "WORLD_SIZE=2", "MASTER_ADDR=127.0.0.1", "MASTER_PORT=" + port}, ""});
  EXPECT_EQ(alone.err,
            "gcan: nobody answered at the rendezvous 127.0.0.1:" + port + " within 5 s; did rank 0 start?\n")
      << "LibTorch logs nothing beside it";
  const Outcome few =
      run_gcan({"train", config, "--out", scratch / "run", "--processes", "2", "--set", "train.batch=1"});
  EXPECT_EQ(few.code, 1);
  EXPECT_NE(few.err.find("train.batch is 1, but 2 processes share it"), std::string::npos) << few.err;
}

TEST_F(Processes, SimulateTheSetOfOne) {
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
  // The parts as they are, by a pattern or as the shell gives them.
  const std::string pattern = scratch / "many-*.h5";
  const auto picture_of = [&](const std::vector<std::string>& files, const std::string& name) {
    std::vector<std::string> words{"plot", "--trajectory", "2", "--out", scratch / name};
    words.insert(words.end(), files.begin(), files.end());
    const Outcome outcome = run_gcan(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return bytes_of(scratch / name);
  };
  const std::string picture = picture_of({scratch / "one.h5"}, "one.png");
  EXPECT_FALSE(picture.empty());
  EXPECT_EQ(picture_of({pattern}, "pattern.png"), picture);
  EXPECT_EQ(picture_of({scratch / "many-0.h5", scratch / "many-1.h5"}, "list.png"), picture);
  const Outcome exported = run_gcan({"export", pattern, "--format", "netcdf", "--out", scratch / "many.nc"});
  EXPECT_EQ(exported.code, 0) << exported.err;
  const Outcome merged =
      run_gcan({"merge", scratch / "many-1.h5", scratch / "many-0.h5", "--out", scratch / "many.h5"});
  ASSERT_EQ(merged.code, 0) << merged.err;
  const data::WellReader one(scratch / "one.h5"), many(scratch / "many.h5");
  ASSERT_EQ(many.description().splits, one.description().splits);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(many.trajectory(i).fields, one.trajectory(i).fields) << i;
  expect_error(run_gcan({"merge", scratch / "many-1.h5", "--out", scratch / "x.h5"}), 1, "a part is missing");
  expect_error(run_gcan({"plot", scratch / "no-*.h5"}), 1, "there is no file '");
  expect_error(run_gcan({"merge", "--out", scratch / "x.h5"}), 2, "missing argument FILES");
  expect_error(run_gcan({"merge", scratch / "many-1.h5"}), 2, "missing option --out");
}

TEST_F(Processes, PartsOfATableMakeTheTable) {
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
  for (const char* wrong : {"3/2", "1/2x"}) {
    expect_error(reproduce({"--cells", wrong}), 2, "--cells expects I/N");
  }
}

const std::vector<std::string> kAsRoot{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"};

std::vector<std::string> under_mpirun(int count, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{base::find_program("mpirun"), "--oversubscribe", "-n", std::to_string(count),
                                 GCAN_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

TEST_F(Processes, TrainUnderMpirun) {
  if (base::find_program("mpirun").empty()) GTEST_SKIP() << "mpirun is not installed";
  const std::string config = make_config(kLong), run = scratch / "launched";
  const Outcome outcome = test::run_program(under_mpirun(4, {"train", config, "--out", run}), {kAsRoot, ""});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_same_bits(run, whole(4));
}

// The process that has this rank of the run in `folder`, by the launcher's variable; -1 if there is none.
pid_t process_of(int rank, const std::string& folder, const std::string& variable = "RANK") {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string number = entry.path().filename(), zero(1, '\0');
    if (number.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string words = bytes_of(entry.path() / "cmdline"),
                      variables = zero + bytes_of(entry.path() / "environ");
    if (words.starts_with(GCAN_PROGRAM) && words.find(zero + folder + zero) != std::string::npos &&
        variables.find(zero + variable + "=" + std::to_string(rank) + zero) != std::string::npos) {
      return std::stoi(number);
    }
  }
  return -1;
}

// How torchrun, started in this way, ends after rank 1 was killed in the middle of the run; without "killed"
// if it did not come to that.
struct Relaunched {
  Outcome outcome;
  bool killed = false;
};
Relaunched under_torchrun(const std::vector<std::string>& words, const std::vector<std::string>& variables,
                          const std::string& config, const std::string& run) {
  std::vector<std::string> command{
      base::find_program("torchrun"), "--no_python", "--nproc_per_node", "2", "--max_restarts", "1",
      "--monitor_interval",           "0.2"};
  command.insert(command.end(), words.begin(), words.end());
  for (const std::string& word :
       {std::string(GCAN_PROGRAM), std::string("train"), config, std::string("--out"), run})
    command.push_back(word);
  Running launcher(command, variables);
  bool begun = false;
  while (!launcher.has_ended() && !begun)
    begun = test::wait_for_file(run + "/checkpoints/last/state.json", 1);
  const pid_t process = begun ? process_of(1, run) : -1;
  const bool killed = process > 0 && kill(process, SIGKILL) == 0;
  return {launcher.wait(60), killed};
}

TEST_F(Processes, TorchrunStartsAKilledRunAgain) {
  if (base::find_program("torchrun").empty()) GTEST_SKIP() << "torchrun is not installed";
  const std::string config = make_config(kLong), run = scratch / "launched";
  // Debian 12's torchrun with Python 3.11 fails without -r and -t.
  Relaunched found = under_torchrun(
      {"-r", "2", "-t", "2", "--master_port", std::to_string(test::free_port())}, {}, config, run);
  // Debian 13's PyTorch has no libuv, which its torchrun needs unless its processes meet through a file.
  if (found.outcome.err.find("without libuv support") != std::string::npos) {
    found = under_torchrun(
        {"--rdzv_backend", "c10d", "--rdzv_conf", "store_type=file", "--rdzv_endpoint", scratch / "meeting"},
        {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1"}, config, run);
  }
  EXPECT_TRUE(found.killed);
  ASSERT_EQ(found.outcome.code, 0) << found.outcome.err;
  EXPECT_NE(found.outcome.err.find("resuming from step"), std::string::npos) << found.outcome.err;
  expect_same_bits(run, whole(2));
}

// Whether gcan can send by LibTorch's MPI; without it, train.backend=mpi is an error.
bool has_mpi() {
  static const bool there = run_gcan({"doctor"}).out.find("train.backend: gloo, mpi") != std::string::npos;
  return there;
}

TEST_F(Processes, BackendsThatCannotWorkAreErrors) {
  const auto error_of = [&](const std::string& setting) {
    const std::string train = make_config("steps = 20\n");
    std::vector<Running> ranks =
        test::start_ranks(2, {"train", train, "--out", scratch / "run", "--device", "cpu", "--set", setting});
    const Outcome first = ranks[0].wait(20), second = ranks[1].wait(20);
    EXPECT_EQ(first.code, 1) << first.err;
    EXPECT_EQ(second.err, first.err);
    EXPECT_FALSE(std::filesystem::exists(scratch / "run"));
    return first.err;
  };
  EXPECT_NE(error_of("train.backend=nccl").find("train.backend is nccl, which needs GPUs"),
            std::string::npos);
  EXPECT_NE(error_of("train.backend=mpi").find("train.backend is mpi, which needs mpirun"),
            std::string::npos);
  // One process needs no backend.
  const Outcome alone = run_gcan(
      {"train", make_config("steps = 2\n"), "--out", scratch / "alone", "--set", "train.backend=mpi"});
  EXPECT_EQ(alone.code, 0) << alone.err;
  if (base::find_program("mpirun").empty() || has_mpi()) return;
  const Outcome without = test::run_program(under_mpirun(2, {"train", make_config("steps = 2\n"), "--out",
                                                             scratch / "run", "--set", "train.backend=mpi"}),
                                            {kAsRoot, ""});
  EXPECT_NE(without.err.find("gcan was built with a LibTorch without MPI"), std::string::npos) << without.err;
}

// Trains by LibTorch's MPI, where it was built in, as in Debian 13.
class ByMpi : public Processes {
 protected:
  void SetUp() override {
    if (base::find_program("mpirun").empty()) GTEST_SKIP() << "mpirun is not installed";
    if (!has_mpi()) GTEST_SKIP() << "gcan was built with a LibTorch without MPI, or without its headers";
  }
  static std::vector<std::string> words(const std::string& config, const std::string& run,
                                        const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"train", config, "--out", run, "--set", "train.backend=mpi"};
    all.insert(all.end(), more.begin(), more.end());
    return under_mpirun(2, all);
  }
  static void expect_trains(const std::vector<std::string>& words) {
    const Outcome outcome = test::run_program(words, {kAsRoot, ""});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  void cut(const std::string& run, int signal, const std::string& sentence) const;
  void expect_ends_and_resumes(int signal, const std::string& sentence) const;
};

TEST_F(ByMpi, LossesAreThoseOfGloo) {
  const std::string config = make_config("steps = 20\nlog_every = 1\nvalidate_every = 5\nclip = 5.0\n");
  for (const std::string wire : {"float", "bfloat16"}) {
    const std::string set = "train.wire=" + wire;
    const Outcome gloo =
        run_gcan({"train", config, "--out", scratch / ("gloo" + wire), "--processes", "2", "--set", set});
    ASSERT_EQ(gloo.code, 0) << gloo.err;
    expect_trains(words(config, scratch / ("mpi" + wire), {"--set", set}));
    expect_same_losses(scratch / ("mpi" + wire), scratch / ("gloo" + wire));
  }
}

// Loses rank 1 in the middle of a run. Our watch ends it, or mpirun, which ends all when one is killed.
void ByMpi::cut(const std::string& run, int signal, const std::string& sentence) const {
  Running launcher(words(make_config(kLong), run), kAsRoot);
  ASSERT_TRUE(test::wait_for_file(run + "/checkpoints/last/state.json", 120));
  const pid_t process = process_of(1, run, "OMPI_COMM_WORLD_RANK");
  ASSERT_GT(process, 0);
  ASSERT_EQ(kill(process, signal), 0);
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = launcher.wait(20);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(12));
  EXPECT_NE(outcome.code, 0);
  EXPECT_NE((outcome.out + outcome.err).find(sentence), std::string::npos) << outcome.out << outcome.err;
}

void ByMpi::expect_ends_and_resumes(int signal, const std::string& sentence) const {
  const std::string run = scratch / "cut", undisturbed = scratch / "undisturbed", config = make_config(kLong);
  expect_trains(words(config, undisturbed));
  ASSERT_NO_FATAL_FAILURE(cut(run, signal, sentence));
  const Outcome again = test::run_program(words(config, run), {kAsRoot, ""});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.err.find("resuming from step"), std::string::npos) << again.err;
  expect_same_bits(run, undisturbed);
}

TEST_F(ByMpi, AKilledRankEndsTheRunWhichGoesOnBitForBit) { expect_ends_and_resumes(SIGKILL, "signal 9"); }

TEST_F(ByMpi, AStoppedRankIsNamedAndTheRunGoesOnBitForBit) {
  expect_ends_and_resumes(SIGSTOP, "gcan: rank 1 (host ");
}

TEST_F(ByMpi, GlooResumesItWithANote) {
  const std::string run = scratch / "run";
  ASSERT_NO_FATAL_FAILURE(cut(run, SIGKILL, "signal 9"));
  const Outcome again = run_gcan({"train", run, "--processes", "2", "--set", "train.backend=gloo"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.err.find("the run was started with mpi and is resumed with gloo"), std::string::npos)
      << again.err;
}

}  // namespace
}  // namespace gcan::cli::processes_test
