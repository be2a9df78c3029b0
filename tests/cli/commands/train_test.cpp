#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.h"
#include "tests/data/scratch.h"
#include "tests/train/same_run.h"

namespace gcan::test {
namespace train_test {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

std::string four_digits(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", number);
  return text.data();
}

class Train : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(
        run_gcan({"simulate", "tetris", "--train", "20", "--valid", "8", "--test", "8", "--out", data_}).code,
        0);
    std::ofstream(config_) << "[model]\nname = \"mlp\"\nwidth = 16\n[data]\nkind = \"tetris\"\nfile = \""
                           << data_
                           << "\"\n[train]\nsteps = 60\nbatch = 8\nvalidate_every = 10\nlog_every = 7\n"
                              "checkpoint_every = 20\nthreads = 1\n";
  }

  Words words(const std::string& out, const Words& more = {}) const {
    Words result{"train", config_, "--out", scratch_ / out};
    result.insert(result.end(), more.begin(), more.end());
    return result;
  }

  // Starts the command in a shell that sends it a signal after a while.
  Outcome run_and_signal(const Words& arguments, const std::string& signal,
                         const std::string& seconds) const {
    std::string command = GCAN_PROGRAM;
    for (const std::string& word : arguments) command += " '" + word + "'";
    return run_program({"/bin/sh", "-c",
                        command + " & child=$!; sleep " + seconds + "; kill -" + signal +
                            " $child 2>/dev/null; wait $child"});
  }

  void expect_same(const std::string& a, const std::string& b) const {
    expect_same_run(scratch_ / a, scratch_ / b);
  }

  Scratch scratch_;
  std::string data_ = scratch_ / "tetris.h5", config_ = scratch_ / "small.toml";
};

TEST_F(Train, TrainsEvaluatesAndReports) {
  const Outcome outcome = run_gcan(words("run", {"--set", "train.seed=4", "--set", "train.ema=0.9"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("trained " + (scratch_ / "run") + ": 60 steps"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("constant velocity"), std::string::npos);
  EXPECT_NE(outcome.err.find("60 of 60 steps"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("validation"), std::string::npos);
  for (const char* file : {"config.toml", "run.json", "metrics.jsonl", "result.json"}) {
    EXPECT_TRUE(fs::exists(scratch_ / (std::string("run/") + file))) << file;
  }
  const auto result = nlohmann::json::parse(contents(scratch_ / "run/result.json"));
  const Outcome evaluated = run_gcan({"evaluate", scratch_ / "run", "--checkpoint", "best"});
  EXPECT_EQ(evaluated.code, 0) << evaluated.err;
  const std::string error = four_digits(result["test"]["best"]["error"]);
  EXPECT_NE(evaluated.out.find(error), std::string::npos) << error << " in " << evaluated.out;
  EXPECT_NE(evaluated.out.find("8 examples"), std::string::npos) << evaluated.out;
  // Again: from the folder alone, and already complete.
  const Outcome again = run_gcan({"train", scratch_ / "run"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("complete already"), std::string::npos) << again.out;
}

TEST_F(Train, AKilledRunEndsAsOneThatWasNot) {
  const Words longer{"--set", "train.steps=200", "--set", "train.checkpoint_every=3"};
  ASSERT_EQ(run_gcan(words("whole", longer)).code, 0);
  for (const char* seconds : {"0.9", "1.5"}) run_and_signal(words("killed", longer), "9", seconds);
  const Outcome last = run_gcan(words("killed", longer));
  EXPECT_EQ(last.code, 0) << last.err;
  expect_same("whole", "killed");
}

TEST_F(Train, CtrlCAndSigtermSave) {
  const Words longer{"--set", "train.steps=100000000", "--set", "train.checkpoint_every=100000000"};
  for (const auto& [signal, code] : {std::pair("INT", 130), std::pair("TERM", 143)}) {
    // A shell starts background processes with Ctrl-C ignored; gcan handles it nevertheless.
    const Outcome outcome = run_and_signal(words("stopped", longer), signal, "3");
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_NE(outcome.err.find("saved at step"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("resume with 'gcan train " + (scratch_ / "stopped")), std::string::npos);
    EXPECT_TRUE(fs::exists(scratch_ / "stopped/checkpoints/last/weights.safetensors"));
  }
}

TEST_F(Train, MistakesAreOneSentence) {
  const auto fails = [&](const Words& more, int code, const std::string& part) {
    expect_error(run_gcan(words("bad", more)), code, part);
  };
  fails({"--set", "train.stesp=3"}, 1, "did you mean 'train.steps'");
  fails({"--set", "train.learning_rate=nan"}, 1, "train.learning_rate");
  fails({"--set", "model.name=mpl"}, 1, "did you mean 'mlp'");
  fails({"--set", "data.file=/no/such.h5"}, 1, "/no/such.h5");
  fails({"--resume"}, 1, "no run to resume");
  EXPECT_FALSE(fs::exists(scratch_ / "bad"));
  expect_error(run_gcan({"train"}), 2, "missing argument CONFIG");
  expect_error(run_gcan({"train", scratch_ / "none.toml"}), 1, "none.toml");
  expect_error(run_gcan({"train", scratch_ / ""}), 1, "not a run folder");
  expect_error(run_gcan({"train", config_, "--out", "/proc/run"}), 1, "/proc/run");
  expect_error(run_gcan({"evaluate", scratch_ / "none"}), 1, "not a run folder");
  expect_error(run_gcan({"evaluate", "x", "--split", "valdi"}), 2, "valdi");
}

TEST_F(Train, DamageAndOtherConfigurationsAreReported) {
  ASSERT_EQ(run_gcan(words("run")).code, 0);
  expect_error(run_gcan(words("run", {"--set", "train.seed=9"})), 1, "train.seed is 1 there and 9 here");
  const std::string weights = scratch_ / "run/checkpoints/last/weights.safetensors";
  std::fstream(weights, std::ios::in | std::ios::out | std::ios::binary).seekp(5000).put('!');
  expect_error(run_gcan({"evaluate", scratch_ / "run", "--checkpoint", "last"}), 1, "checksum");
  cut_to(data_, 0.6);
  expect_error(run_gcan(words("new")), 1, "tetris.h5");
}

// ulimit counts in blocks of 512 bytes; its signal is ignored.
TEST_F(Train, AFullDiskIsReported) {
  std::string command = "trap '' XFSZ; ulimit -f 16; exec ";
  command += GCAN_PROGRAM;
  for (const std::string& word : words("full")) command += " '" + word + "'";
  const Outcome outcome = run_program({"/bin/sh", "-c", command});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("cannot be written"), std::string::npos) << outcome.err;
}

}  // namespace train_test
}  // namespace gcan::test
