#include "gcan/train/first_weights.h"

#include <gtest/gtest.h>

#include "gcan/train/files/checkpoint.h"
#include "gcan/train/longer_run.h"
#include "gcan/train/loop/optimizer.h"
#include "tests/train/tiny_run.h"

namespace gcan::train {
namespace first_weights_test {

using test::Scratch;
using test::tiny_config;

std::vector<std::string> notes_of(const Config& config, const std::string& folder, const Start& start = {}) {
  std::vector<std::string> notes;
  Observer observer;
  observer.note = [&](const std::string& sentence) { notes.push_back(sentence); };
  train(config, folder, observer, nullptr, start);
  return notes;
}

bool any_has(const std::vector<std::string>& notes, const std::string& part) {
  for (const std::string& note : notes) {
    if (note.find(part) != std::string::npos) return true;
  }
  return false;
}

bool same_weights(const models::NetworkPtr& a, const models::NetworkPtr& b) {
  const NamedTensors first = weights_of(*a), second = weights_of(*b);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (!torch::equal(first[i].second, second[i].second)) return false;
  }
  return first.size() == second.size();
}

TEST(FirstWeights, AreThoseOfTheOtherRun) {
  const Scratch scratch;
  const std::string data = test::tiny_data(scratch);
  EXPECT_TRUE(any_has(notes_of(tiny_config(data, {"train.ema=0.9"}), scratch / "a"),
                      "starting from random weights, seed 1"));
  // Without learning the final weights are the initial ones.
  const Config still = tiny_config(data, {"train.learning_rate=0", "train.steps=1", "train.seed=7"});
  const auto notes = notes_of(still, scratch / "b", {scratch / "a", Checkpoint::last});
  EXPECT_TRUE(any_has(notes, "starting from the last checkpoint (step 40) of '" + (scratch / "a")));
  EXPECT_FALSE(any_has(notes, "random"));
  EXPECT_TRUE(same_weights(load(scratch / "a", Checkpoint::last).network,
                           load(scratch / "b", Checkpoint::last).network));
  notes_of(still, scratch / "c");
  EXPECT_FALSE(same_weights(load(scratch / "a", Checkpoint::last).network,
                            load(scratch / "c", Checkpoint::last).network));
}

TEST(FirstWeights, ReportMismatches) {
  const Scratch scratch;
  const std::string data = test::tiny_data(scratch);
  train(tiny_config(data), scratch / "a");
  const auto notes = notes_of(tiny_config(data, {"data.steps_out=3"}), scratch / "b", {scratch / "a"});
  EXPECT_TRUE(any_has(notes, "tensors fit, the others start from random weights")) << notes.front();
  EXPECT_TRUE(any_has(notes, " there and ")) << notes.front();
  const Config other = make_config({"model.name=gca-mlp", "model.channels=4", "data.kind=tetris",
                                    "data.file=" + data, "train.steps=2", "train.batch=8"});
  test::expect_error_with([&] { train(other, scratch / "c", {}, nullptr, {scratch / "a"}); },
                          {"no weight of", "fits", "is missing"});
  EXPECT_FALSE(std::filesystem::exists(scratch / "c"));
}

TEST(FirstWeights, OutliveTheOtherRunAndAKilledStart) {
  const Scratch scratch;
  const std::string data = test::tiny_data(scratch);
  const Config config = tiny_config(data, {"train.seed=5"});
  train(tiny_config(data), scratch / "a");
  train(config, scratch / "whole", {}, nullptr, {scratch / "a"});
  // Killed before its first checkpoint, and resumed after the other run was removed.
  Observer killed;
  killed.begin = [] { throw Error("killed"); };
  EXPECT_THROW(train(config, scratch / "resumed", killed, nullptr, {scratch / "a"}), Error);
  std::filesystem::remove_all(scratch / "a");
  train(config, scratch / "resumed");
  test::expect_same_run(scratch / "whole", scratch / "resumed");
}

TEST(FirstWeights, DifferentOnesForAnExistingRunAreRejected) {
  const Scratch scratch;
  const std::string data = test::tiny_data(scratch);
  train(tiny_config(data), scratch / "a");
  train(tiny_config(data, {"train.seed=2"}), scratch / "b");
  test::expect_error_with([&] { train(tiny_config(data), scratch / "a", {}, nullptr, {scratch / "b"}); },
                          {"started with random weights", "--out"});
  test::expect_error_with([&] { train(tiny_config(data), scratch / "a", {}, nullptr, {scratch / "a"}); },
                          {"the run itself", "--steps"});
  test::expect_error_with([&] { train(tiny_config(data), scratch / "new", {}, nullptr, {scratch / "none"}); },
                          {"none", "not a run folder"});
}

TEST(LongerRun, WithAConstantRateEqualsTheRunWithAllSteps) {
  const Scratch scratch;
  const std::string data = test::tiny_data(scratch);
  const Config longer = tiny_config(data, {"train.steps=61"});
  train(longer, scratch / "whole");
  train(tiny_config(data), scratch / "extended");
  const LongerRun run = train_longer(longer, scratch / "extended");
  EXPECT_NE(run.note.find("from step 40 to 61: the learning rate stays at 0.001"), std::string::npos)
      << run.note;
  EXPECT_FALSE(read_result(scratch / "extended"));
  const Outcome outcome = train(run.config, scratch / "extended");
  EXPECT_EQ(outcome.end, End::complete);
  EXPECT_EQ(outcome.result->steps, 61);
  EXPECT_TRUE(same_weights(load(scratch / "whole", Checkpoint::last).network,
                           load(scratch / "extended", Checkpoint::last).network));
}

// A line's mean covers the steps since the previous line, also if log_every does not divide the steps: 40
// steps with lines every 7.
TEST(LongerRun, LogsTrueMeans) {
  const Scratch scratch;
  const std::string data = test::tiny_data(scratch);
  const std::vector<std::string> still{"train.learning_rate=0", "train.batch=20"};
  auto more = still;
  more.emplace_back("train.steps=49");
  train(tiny_config(data, still), scratch / "run");
  train(train_longer(tiny_config(data, more), scratch / "run").config, scratch / "run");
  std::vector<double> losses;
  std::ifstream file(scratch / "run/metrics.jsonl");
  for (std::string line; std::getline(file, line);) {
    const auto json = nlohmann::json::parse(line);
    if (json["kind"] == "train") losses.push_back(json["loss"]);
  }
  ASSERT_EQ(losses.size(), 8U);
  // All examples in every batch and no learning: every mean is equal.
  for (const double loss : losses) EXPECT_NEAR(loss, losses.front(), 1e-4 * losses.front());
}

TEST(LongerRun, StatesTheCosineAndKeepsTheWarmUp) {
  const Scratch scratch;
  const std::string data = test::tiny_data(scratch);
  const std::vector<std::string> cosine{"train.schedule=cosine", "train.warmup=0.25"};
  train(tiny_config(data, cosine), scratch / "run");
  auto more = cosine;
  more.emplace_back("train.steps=80");
  const LongerRun run = train_longer(tiny_config(data, more), scratch / "run");
  EXPECT_NE(run.note.find("cosine over all 80 steps"), std::string::npos) << run.note;
  EXPECT_EQ(run.config.train.integer("warmup_steps"), 10);
  EXPECT_EQ(train(run_config(scratch / "run"), scratch / "run").result->steps, 80);
  // Fewer than are done, or something else too.
  more.back() = "train.steps=30";
  test::expect_error_with([&] { train_longer(tiny_config(data, more), scratch / "run"); },
                          {"another", "--from"});
  test::expect_error_with(
      [&] {
        Config fewer = run_config(scratch / "run");
        fewer.train.set("steps", std::int64_t{30});
        train_longer(fewer, scratch / "run");
      },
      {"has done 80 steps", "30"});
}

}  // namespace first_weights_test
}  // namespace gcan::train
