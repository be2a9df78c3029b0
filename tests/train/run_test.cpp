#include "gcan/train/run.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "gcan/files/durable.h"
#include "gcan/files/output_lock.h"
#include "tests/train/tiny_run.h"

namespace gcan::train {
namespace run_test {

namespace fs = std::filesystem;
using test::expect_error_with;
using test::expect_same_run;
using test::Scratch;
using test::tiny_config;
using test::tiny_data;

// Trains and stops after each of the steps, then to the end.
Outcome train_in_parts(const Config& config, const std::string& folder,
                       const std::vector<std::int64_t>& stops) {
  std::int64_t done = 0;
  for (const std::int64_t stop : stops) {
    Observer observer;
    std::int64_t left = stop - done;
    observer.stop = [&] { return --left == 0; };
    const Outcome outcome = train(config, folder, observer);
    EXPECT_EQ(outcome.end, End::stopped);
    EXPECT_EQ(outcome.step, stop);
    done = stop;
  }
  return train(config, folder);
}

TEST(Run, AStoppedRunEndsAsOneThatWasNot) {
  const Scratch scratch;
  const std::string data = tiny_data(scratch);
  const Config gca =
      make_config({"model.name=gca-mlp", "model.channels=8", "data.kind=tetris", "data.file=" + data,
                   "train.steps=40", "train.batch=8", "train.validate_every=5", "train.log_every=7"});
  int number = 0;
  for (const Config& config :
       {tiny_config(data), gca,
        tiny_config(data,
                    {"train.ema=0.9", "train.clip=0.5", "train.schedule=cosine", "train.warmup_steps=5"}),
        tiny_config(data, {"train.optimizer=adamw", "train.weight_decay=0.1", "train.seed=3"})}) {
    const std::string whole = scratch / ("whole" + std::to_string(number));
    const std::string parts = scratch / ("parts" + std::to_string(number++));
    const Outcome outcome = train(config, whole);
    EXPECT_EQ(outcome.end, End::complete);
    const Outcome in_parts = train_in_parts(config, parts, {1, 9, 10, 23});
    expect_same_run(whole, parts);
    EXPECT_EQ(outcome.result->test_best.metrics.error, in_parts.result->test_best.metrics.error);
    EXPECT_EQ(train(config, whole).end, End::was_complete);
  }
}

// Without its own checkpoint a killed run restarts; its remains do no harm.
TEST(Run, GoesOnFromWhateverAKillLeaves) {
  const Scratch scratch;
  const Config config = tiny_config(tiny_data(scratch));
  train(config, scratch / "whole");
  for (const char* missing : {"checkpoints", "result.json"}) {
    const std::string cut = scratch / missing;
    fs::copy(scratch / "whole", cut, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    fs::remove(fs::path(cut) / "result.json");
    fs::remove_all(fs::path(cut) / missing);
    std::ofstream(fs::path(cut) / ".checkpoints-77") << "left over";
    train(config, cut);
    expect_same_run(scratch / "whole", cut);
    EXPECT_FALSE(fs::exists(fs::path(cut) / ".checkpoints-77"));
  }
}

TEST(Run, ResultEvaluationAndPredictionAgree) {
  const Scratch scratch;
  const std::string run = scratch / "run";
  const Config config = tiny_config(tiny_data(scratch), {"train.ema=0.5"});
  const Result result = *train(config, run).result;
  EXPECT_EQ(result.steps, 40);
  EXPECT_EQ(result.parameters, models::parameter_count(*config.make_network()));
  EXPECT_LE(result.valid_best.metrics.error, result.valid_last.metrics.error);
  EXPECT_EQ(read_result(run)->test_last.metrics.error, result.test_last.metrics.error);
  const Evaluation evaluation = evaluate(run, Checkpoint::best, Split::test);
  EXPECT_EQ(evaluation.network.metrics.error, result.test_best.metrics.error);
  EXPECT_EQ(evaluation.network.step, result.test_best.step);
  EXPECT_EQ(evaluation.examples, 8);
  EXPECT_EQ(evaluation.trivial.size(), result.trivial.size());
  const std::vector<std::int64_t> all{0, 1, 2, 3, 4, 5, 6, 7};
  const Prediction p = predict(run, Checkpoint::last, Split::test, all);
  const auto task = config.make_task();
  EXPECT_NEAR(task->loss(p.prediction, p.target).item<double>() / result.test_last.metrics.error, 1, 1e-5);
  EXPECT_FALSE(p.prediction.requires_grad());
  expect_error_with([&] { predict(run, Checkpoint::last, Split::test, std::vector<std::int64_t>{8}); },
                    {"no example 8", "'test'", "8"});
  const std::string other = tiny_data(scratch, 2);
  EXPECT_NE(evaluate(run, Checkpoint::best, Split::test, other).network.metrics.error,
            result.test_best.metrics.error);
}

TEST(Run, TheRecordCanBeFedBack) {
  const Scratch scratch;
  const Config config = tiny_config(tiny_data(scratch));
  train(config, scratch / "a");
  train(read_config(scratch / "a/config.toml"), scratch / "b");
  expect_same_run(scratch / "a", scratch / "b");
}

TEST(Run, AnotherConfigurationOrOtherDataIsAnError) {
  const Scratch scratch;
  const std::string run = scratch / "run", data = tiny_data(scratch);
  train_in_parts(tiny_config(data), run, {3});
  fs::remove(fs::path(run) / "result.json");
  expect_error_with([&] { train(tiny_config(data, {"train.steps=41"}), run); },
                    {run, "train.steps is 40 there and 41 here", "--out"});
  expect_error_with([&] { train(tiny_config(tiny_data(scratch, 2)), run); },
                    {"tetris-2.h5", "differs from the data"});
  fs::rename(data, scratch / "moved.h5");
  EXPECT_EQ(train(tiny_config(scratch / "moved.h5", {"train.checkpoint_every=3"}), run).end, End::complete);
}

TEST(Run, DivergenceIsToldWithItsStepAndGradients) {
  const Scratch scratch;
  const std::string data = tiny_data(scratch);
  expect_error_with([&] { train(tiny_config(data, {"train.learning_rate=1e25"}), scratch / "run"); },
                    {"at step", "largest gradients", "weight", "learning_rate"});
}

TEST(Run, NetworkAndDataMustFit) {
  const Scratch scratch;
  const std::string data = tiny_data(scratch);
  expect_error_with([&] { train(tiny_config(data, {"model.points=31"}), scratch / "run"); }, {"31"});
  EXPECT_FALSE(fs::exists(scratch / "run"));
}

TEST(Run, FoldersThatAreNoRuns) {
  const Scratch scratch;
  const Config config = tiny_config(tiny_data(scratch));
  fs::create_directory(scratch / "other");
  std::ofstream(scratch / "other/letter.txt") << "dear";
  expect_error_with([&] { train(config, scratch / "other"); },
                    {"other", "is not a run, because it contains"});
  expect_error_with([&] { train(config, scratch / "other/letter.txt/run"); }, {"letter.txt/run"});
  expect_error_with([&] { load(scratch / "none", Checkpoint::last); }, {"none", "not a run folder"});
  expect_error_with([&] { checkpoint_named("first"); }, {"'first'", "last or best"});
}

// The remains of a start that was killed in its first moments.
TEST(Run, AnUnfinishedStartIsANewRun) {
  const Scratch scratch;
  const Config config = tiny_config(tiny_data(scratch));
  const std::string run = scratch / "run";
  fs::create_directory(run);
  for (const char* name : {"data.safetensors", "run.json.partial", "config.toml.partial", ".lock"})
    std::ofstream(run + "/" + name) << "half";
  EXPECT_EQ(train(config, run).end, End::complete);
}

TEST(Run, ASecondWriterIsTold) {
  const Scratch scratch;
  const Config config = tiny_config(tiny_data(scratch));
  const std::string run = scratch / "run";
  fs::create_directory(run);
  {
    const files::OutputLock other(run + "/");
    expect_error_with([&] { train(config, run); }, {"run", "is being written by process"});
  }
  EXPECT_EQ(train(config, run).end, End::complete);
  // Reading a result needs no lock.
  const files::OutputLock other(run + "/");
  EXPECT_EQ(train(config, run).end, End::was_complete);
}

TEST(Run, ABatchLargerThanTheDataIsTold) {
  const Scratch scratch;
  Config config = tiny_config(tiny_data(scratch));
  config.train.set("batch", std::int64_t{100'000});
  expect_error_with([&] { train(config, scratch / "run"); }, {"train.batch is 100000", "training examples"});
  EXPECT_FALSE(fs::exists(scratch / "run"));
}

TEST(Run, DamageIsTold) {
  const Scratch scratch;
  const Config config = tiny_config(tiny_data(scratch));
  const std::string run = scratch / "run";
  train(config, run);
  const auto damage = [&](const std::string& file) {
    std::string bytes = files::read_whole(run + "/" + file);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 8);
    files::write_durably(run + "/" + file, bytes);
  };
  damage("checkpoints/best/weights.safetensors");
  expect_error_with([&] { load(run, Checkpoint::best); }, {"best/weights.safetensors", "checksum"});
  EXPECT_NO_THROW(load(run, Checkpoint::last));
  files::write_durably(run + "/result.json", "{");
  expect_error_with([&] { read_result(run); }, {"result.json"});
}

}  // namespace run_test
}  // namespace gcan::train
