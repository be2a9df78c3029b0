// Damaged files, full disks, signals, little memory and file systems without locks, from end to end.

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.h"
#include "tests/cli/tiny_training.h"
#include "tests/data/scratch.h"

namespace gcan::cli {
namespace hardening_test {

namespace fs = std::filesystem;
using test::contents;
using test::run_gcan;
using test::Scratch;

std::string gcan() { return std::string("'") + GCAN_PROGRAM + "'"; }

test::Outcome run_shell(const Scratch& scratch, const std::string& script) {
  return test::run_program({"/bin/sh", "-c", "cd '" + scratch / "" + "'; " + script});
}

// A run to be trained, with so many steps, on data of so many trajectories: run.toml and data.h5.
void make_run(const Scratch& scratch, const std::string& steps, const std::string& trajectories,
              const std::string& more = "") {
  const auto made = run_gcan({"simulate", "tetris", "--train", trajectories, "--valid", "8", "--test", "8",
                              "--out", scratch / "data.h5"});
  EXPECT_EQ(made.code, 0) << made.err;
  std::ofstream(scratch / "run.toml") << "[model]\nname = \"mlp\"\nwidth = 8\n[data]\nkind = "
                                         "\"tetris\"\nfile = \"data.h5\"\n[train]\nsteps = "
                                      << steps << "\nbatch = 8\nvalidate_every = 5\nlog_every = 5\n"
                                      << more;
}

void flip(const std::string& path, std::size_t byte, int bit, bool keeps_checksum) {
  std::string bytes = contents(path);
  if (!keeps_checksum) bytes.erase(bytes.rfind("\ngcan-xxh3"));
  bytes[byte] = static_cast<char>(bytes[byte] ^ (1 << bit));
  std::ofstream(path, std::ios::binary) << bytes;
}

// The library crashes on the one and loops on the other.
TEST(Hardening, TheFlippedBitsThatCrashedAndLoopedCostASentence) {
  for (const auto& [byte, bit] : {std::pair(5500, 5), std::pair(4897, 2)}) {
    for (const bool keeps_checksum : {true, false}) {
      const Scratch scratch;
      make_run(scratch, "5", "16");
      flip(scratch / "data.h5", static_cast<std::size_t>(byte), bit, keeps_checksum);
      const auto outcome = run_shell(scratch, gcan() + " train run.toml --out run");
      if (keeps_checksum) {
        test::expect_error(outcome, 1, "damaged or was changed");
      } else if (outcome.code != 0) {
        test::expect_error(outcome, 1, "data.h5");
      }
    }
  }
}

// Starts a training in the background, waits until its log has lines, and sends it a signal.
std::string signalled(const std::string& name) {
  return gcan() +
         " train run.toml --out run 2> err & p=$!; n=0; while [ ! -s run/metrics.jsonl ] && [ $n -lt 3000 ]; "
         "do "
         "sleep 0.01; n=$((n+1)); done; kill -" +
         name + " $p; wait $p; echo $?";
}

TEST(Hardening, HupSavesAsTermDoes) {
  for (const auto& [name, code] : {std::pair("HUP", "129\n"), std::pair("TERM", "143\n")}) {
    const Scratch scratch;
    make_run(scratch, "1000000", "16");
    const auto outcome = run_shell(scratch, signalled(name));
    EXPECT_EQ(outcome.out, code) << contents(scratch / "err");
    EXPECT_NE(contents(scratch / "err").find(std::string("stopped by SIG") + name + " and saved at step"),
              std::string::npos)
        << contents(scratch / "err");
    EXPECT_TRUE(fs::exists(scratch / "run/checkpoints/last/weights.safetensors"));
    EXPECT_FALSE(fs::exists(scratch / "run/.lock"));
  }
}

TEST(Hardening, ASignalWhileLoadingEndsTheProgramAtOnce) {
  const Scratch scratch;
  make_run(scratch, "1000000", "9000");
  for (const char* delay : {"0.05", "0.2", "0.4"}) {
    const auto outcome =
        run_shell(scratch, "timeout -k 1 60 " + gcan() + " train run.toml --out run" + delay +
                               " 2> err & p=$!; sleep " + delay + "; kill -TERM $p; wait $p; echo $?");
    // As a process that the signal ended, or saved where it came so far.
    EXPECT_TRUE(outcome.out == "143\n" || outcome.out == "124\n") << outcome.out << contents(scratch / "err");
    EXPECT_EQ(contents(scratch / "err").find("terminate"), std::string::npos);
  }
}

TEST(Hardening, ClosedStderrDoesNotReachTheLog) {
  const Scratch scratch;
  make_run(scratch, "20", "16");
  EXPECT_EQ(run_shell(scratch, gcan() + " train run.toml --out run > said 2>&-").code, 0);
  std::ifstream log(scratch / "run/metrics.jsonl");
  int lines = 0;
  for (std::string line; std::getline(log, line); ++lines)
    EXPECT_TRUE(nlohmann::json::parse(line, nullptr, false).is_object()) << line;
  EXPECT_GE(lines, 8);
}

TEST(Hardening, LittleMemoryForATrainingIsASentence) {
  const Scratch scratch;
  make_run(scratch, "5", "16");
  // As 'prlimit --as=600M': OpenBLAS would crash or wait for ever while it is loaded.
  for (const char* limit : {"600000", "700000"})
    test::expect_error(run_shell(scratch, std::string("ulimit -v ") + limit + "; timeout 20 " + gcan() +
                                              " train run.toml --out run"),
                       1, "not enough memory");
  EXPECT_FALSE(fs::exists(scratch / "run"));
}

// A disk of a few MB in a mount namespace of its own; false where the machine does not allow that.
bool can_mount() {
  return test::run_program({"/bin/sh", "-c", "unshare -m mount -t tmpfs none /mnt 2> /dev/null"}).code == 0;
}

std::string on_small_disk(const std::string& options, const std::string& script) {
  return "mkdir small; unshare -m sh -c \"mount -t tmpfs -o " + options +
         " none small && mkdir small/tmp && " + "TMPDIR=$PWD/small/tmp && export TMPDIR && " + script + "\"";
}

void expect_no_half_files(const std::string& listing) {
  EXPECT_EQ(listing.find("leftover"), std::string::npos) << listing;
}

TEST(Hardening, AFullDiskLeavesNoHalfFiles) {
  if (!can_mount()) GTEST_SKIP() << "this machine does not allow mounts";
  const Scratch scratch;
  const std::string run = test::tiny_fluid_training(scratch);
  const std::string list =
      "find small -type f ! -path 'small/tmp/*' ! -name filler ! -name copy.toml -exec echo leftover {} ';'";
  const std::string fill = "head -c 10000000 /dev/zero > small/filler 2> /dev/null; ";
  for (const std::string command :
       {"plot smoke.h5 --field smoke --out small/a.png",
        "plot smoke.h5 --field smoke --animate --out small/a.gif", "rollout fluid --out small/r.png",
        "export smoke.h5 --format netcdf --out small/a.nc", "simulate tetris --train 9000 --out small/t.h5",
        "report fluid --out small/report", "train fluid.toml --out small/run"}) {
    const auto outcome =
        run_shell(scratch, on_small_disk("size=400k", fill + gcan() + " " + command +
                                                          " > said 2> err; echo code \\$?; " + list) +
                               "; rmdir small");
    EXPECT_EQ(outcome.out.substr(0, 7), "code 1\n")
        << command << ": " << outcome.out << contents(scratch / "err");
    EXPECT_NE(contents(scratch / "err").find("gcan: "), std::string::npos) << command;
    expect_no_half_files(outcome.out);
  }
}

TEST(Hardening, MessagesAreSentences) {
  const Scratch scratch;
  const std::string run = test::tiny_training(scratch);
  fs::copy(run, scratch / "other", fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  std::ofstream(scratch / "other/result.json") << R"({"steps":"three"})";
  fs::create_directory(scratch / "experiment");
  std::ofstream(scratch / "experiment/results.json") << R"({"experiment":3,"budget":[]})";
  fs::create_symlink("nowhere", scratch / "dangling");
  std::ofstream(scratch / "file") << "text";
  for (const std::string command :
       {"train other", "evaluate other --data file", "report other --out dangling", "report experiment",
        "train run.toml --out dangling", "train run.toml --out file", "train run.toml --out file/below",
        "plot file --out a.png", "plot tetris.h5 --out dangling/a.png", "import file --out a.h5",
        "export file --format netcdf --out a.nc", "simulate tetris --train 1 --out dangling/a.h5",
        "report run --out file/below", "watch file", "rollout run --out dangling/a.gif"}) {
    const auto outcome = run_shell(scratch, gcan() + " " + command);
    test::expect_error(outcome, outcome.code == 2 ? 2 : 1, "");
    for (const char* leak :
         {"filesystem error", "json.exception", "not installed", "File exists", "cannot open file"})
      EXPECT_EQ(outcome.err.find(leak), std::string::npos) << command << ": " << outcome.err;
  }
}

// Copying or printing such a value would overflow the stack.
TEST(Hardening, DeeplyNestedJsonDoesNotCrash) {
  const Scratch scratch;
  const std::string run = test::tiny_training(scratch);
  const std::string nested = "{\"data\":" + std::string(500'000, '[') + std::string(500'000, ']') + "}";
  std::ofstream(run + "/run.json") << nested;
  const auto reported = run_shell(scratch, gcan() + " report run --out report");
  EXPECT_EQ(reported.code, 0) << reported.err;  // a report needs nothing of run.json
  const auto resumed = run_shell(scratch, gcan() + " train run");
  EXPECT_TRUE(resumed.code == 0 || resumed.code == 1) << resumed.code << resumed.err;
  std::ofstream(run + "/result.json") << nested;
  const auto refused = run_shell(scratch, gcan() + " report run --out report");
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("gcan: 'run/result.json' is damaged: it is not JSON"), std::string::npos)
      << refused.err;
  fs::create_directory(scratch / "experiment");
  std::ofstream(scratch / "experiment/results.json") << nested;
  test::expect_error(run_shell(scratch, gcan() + " report experiment"), 1, "results.json' is damaged");
}

TEST(Hardening, NoInodesIsNotAMissingGnuplot) {
  if (!can_mount()) GTEST_SKIP() << "this machine does not allow mounts";
  const Scratch scratch;
  test::tiny_fluid_training(scratch);
  const auto outcome = run_shell(
      scratch, on_small_disk("nr_inodes=3",
                             gcan() + " plot smoke.h5 --field smoke --out small/a.png; echo code \\$?"));
  EXPECT_NE(outcome.out.find("code 1"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.err.find("not installed"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("gcan: "), std::string::npos) << outcome.err;
}

// As on an NFS without a lock server: the lock file itself is the lock.
TEST(Hardening, WithoutLocksOfTheFileSystemTheLockFileIsTheLock) {
  const Scratch scratch;
  const std::string without = std::string("LD_PRELOAD='") + GCAN_FAULTS + "' GCAN_FAULT=flock:1+:ENOLCK " +
                              gcan() + " simulate tetris --train 3 --out ";
  EXPECT_EQ(run_shell(scratch, without + "a.h5").code, 0);
  EXPECT_FALSE(fs::exists(scratch / "a.h5.lock"));
  // Of a living process on this machine, of one that is gone, and of another machine.
  auto outcome = run_shell(scratch, "echo $$ $(hostname) > b.h5.lock; " + without + "b.h5");
  test::expect_error(outcome, 1, "is being written by process");
  EXPECT_NE(outcome.err.find("remove 'b.h5.lock'"), std::string::npos) << outcome.err;
  outcome = run_shell(scratch,
                      "sh -c 'echo $$' > pid; echo $(cat pid) $(hostname) > c.h5.lock; " + without + "c.h5");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  test::expect_error(run_shell(scratch, "echo 1 elsewhere > d.h5.lock; " + without + "d.h5"), 1,
                     "on elsewhere");
}

// Every command that writes, while another process holds the lock: told, and nothing is touched.
TEST(Hardening, EveryWriterTakesTheLockOfItsOutput) {
  const Scratch scratch;
  make_run(scratch, "5", "16");
  for (const std::string command :
       {"simulate tetris --train 3 --out a.h5", "simulate navier-stokes --cells 16 --train 1 --out a.h5",
        "simulate shallow-water --initial williamson2 --truncation 10 --latitudes 16 --longitudes 32 "
        "--frames 2 --train 1 --out a.h5"}) {
    test::expect_error(run_shell(scratch, "exec 9> a.h5.lock; flock 9; " + gcan() + " " + command + " 9>&-"),
                       1, "'a.h5' is being written by");
    EXPECT_FALSE(fs::exists(scratch / "a.h5")) << command;
    EXPECT_FALSE(fs::exists(scratch / "a.h5.partial")) << command;
  }
  for (const std::string command :
       {"train run.toml --out out",
        "reproduce tetris-mlp --budget smoke --models mlp --trajectories 256 --steps 2 --out out"}) {
    fs::create_directory(scratch / "out");
    test::expect_error(run_shell(scratch, "exec 9> out/.lock; flock 9; " + gcan() + " " + command + " 9>&-"),
                       1, "is being written by");
    fs::remove(scratch / "out/.lock");
    EXPECT_TRUE(fs::is_empty(scratch / "out")) << command;
    fs::remove_all(scratch / "out");
  }
}

TEST(Hardening, AReportTakesTheLockOfItsFolder) {
  const Scratch scratch;
  const std::string run = test::tiny_training(scratch);
  fs::create_directory(scratch / "out");
  const auto outcome =
      run_shell(scratch, "exec 9> out/.lock; flock 9; " + gcan() + " report run --out out 9>&-");
  test::expect_error(outcome, 1, "'out/' is being written by");
}

TEST(Hardening, ReproducePassesNoVerifyOn) {
  const Scratch scratch;
  const std::string command =
      " reproduce tetris-mlp --budget smoke --models mlp --trajectories 256 --steps 2 --jobs 1 --out r";
  EXPECT_EQ(run_shell(scratch, gcan() + command).code, 0);
  // The line with the checksum alone is damaged: the data is as it was.
  for (const auto& entry : fs::directory_iterator(scratch / "r")) {
    if (entry.path().extension() != ".h5") continue;
    std::string bytes = contents(entry.path().string());
    bytes[bytes.rfind("\ngcan-xxh3") + 20] ^= 1;
    std::ofstream(entry.path(), std::ios::binary) << bytes;
  }
  fs::remove_all(scratch / "r/runs");
  test::expect_error(run_shell(scratch, gcan() + command + " 2>&1 >/dev/null | tail -n 1 >&2; false"), 1,
                     "checksum");
  const auto outcome = run_shell(scratch, gcan() + " --no-verify" + command);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

// A write that fails within the HDF5 library when a dataset is closed: the numbers would be lost.
TEST(Hardening, EveryFailedWriteOfADataFileIsTold) {
  const Scratch scratch;
  const std::string simulate = gcan() + " simulate tetris --steps 2 --train 1 --out ";
  EXPECT_EQ(run_shell(scratch, simulate + "right.h5").code, 0);
  for (int call = 1; call <= 26; ++call) {
    fs::remove(scratch / "a.h5");
    const auto outcome = run_shell(scratch, std::string("LD_PRELOAD='") + GCAN_FAULTS +
                                                "' GCAN_FAULT=write:" + std::to_string(call) +
                                                ":EIO GCAN_FAULT_UNDER=$PWD " + simulate + "a.h5");
    if (outcome.code == 0) {
      EXPECT_TRUE(contents(scratch / "a.h5") == contents(scratch / "right.h5")) << call;
    } else {
      EXPECT_EQ(outcome.code, 1) << call;
      EXPECT_NE(outcome.err.find("a.h5"), std::string::npos) << outcome.err;
      EXPECT_FALSE(fs::exists(scratch / "a.h5")) << call;
    }
  }
}

}  // namespace hardening_test
}  // namespace gcan::cli
