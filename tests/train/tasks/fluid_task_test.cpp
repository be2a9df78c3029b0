#include "gcan/train/tasks/fluid_task.h"

#include <gtest/gtest.h>

#include <set>

#include "gcan/train/data_check.h"
#include "tests/train/tiny_fluid.h"

namespace gcan::train {
namespace fluid_task_test {

using test::damage;
using test::expect_error_with;
using test::expect_same_run;
using test::fluid_config;
using test::foreign_fluid_file;
using test::Scratch;
using test::tiny_fluid_file;

FluidTask task_of(const std::string& file, const std::vector<std::string>& more = {}) {
  return FluidTask(fluid_config(file, more).data);
}

const std::vector<std::int64_t> kThree{4, 0, 4};

TEST(FluidTask, ABatchIsAWindowOfEachTrajectory) {
  const Scratch scratch;
  const std::string path = tiny_fluid_file(scratch);
  FluidTask task = task_of(path, {"data.normalise=none", "data.train=5"});
  EXPECT_EQ(task.size(Split::train), 5);
  EXPECT_EQ(task.size(Split::valid), 2);
  EXPECT_EQ(task.size(Split::test), 3);
  const data::Description d = test::tiny_fluid();
  std::set<std::int64_t> starts;
  for (std::int64_t step = 1; step <= 40; ++step) {
    const Batch batch = task.batch(Split::train, kThree, {7, step});
    ASSERT_EQ(batch.input.sizes().vec(), (std::vector<std::int64_t>{3, 4, 3, 8, 8}));
    ASSERT_EQ(batch.target.sizes().vec(), (std::vector<std::int64_t>{3, 1, 3, 8, 8}));
    for (std::int64_t i = 0; i < 3; ++i) {
      const data::Trajectory truth = test::tiny_waves(d, static_cast<int>(kThree[i]));
      const auto number = [&](std::size_t field, std::int64_t frame, std::size_t component) {
        const auto point = static_cast<std::size_t>((frame * 8 + 3) * 8 + 5);
        return truth.fields[field][point * d.fields[field].elements() + component];
      };
      std::int64_t start = 0;
      while (start <= 5 && batch.input[i][0][0][3][5].item<float>() != number(0, start, 0)) ++start;
      ASSERT_LE(start, 5);
      starts.insert(start);
      for (std::int64_t frame = 0; frame < 5; ++frame) {
        const torch::Tensor seen = frame < 4 ? batch.input[i][frame] : batch.target[i][0];
        EXPECT_EQ(seen[0][3][5].item<float>(), number(0, start + frame, 0));
        EXPECT_EQ(seen[1][3][5].item<float>(), number(1, start + frame, 0));
        EXPECT_EQ(seen[2][3][5].item<float>(), number(1, start + frame, 1));
      }
    }
  }
  EXPECT_EQ(starts.size(), 6U) << "every start is drawn";
}

TEST(FluidTask, AVisitAlwaysSeesTheSameWhetherReadAheadOrNot) {
  const Scratch scratch;
  const std::string path = tiny_fluid_file(scratch);
  FluidTask one = task_of(path), other = task_of(path, {"data.memory=0"});
  for (std::int64_t step = 1; step <= 20; ++step) {
    if (step % 3 != 0) one.expect(Split::train, kThree, {7, step});
    if (step % 5 == 0) one.expect(Split::train, std::vector<std::int64_t>{1, 2}, {7, step});
    const Batch a = one.batch(Split::train, kThree, {7, step});
    const Batch b = other.batch(Split::train, kThree, {7, step});
    EXPECT_TRUE(a.input.equal(b.input));
    EXPECT_TRUE(a.target.equal(b.target));
  }
  EXPECT_EQ(other.store().bytes(), 0);
  EXPECT_GT(one.store().bytes(), 0);
}

TEST(FluidTask, NormalisedFieldsHaveSizeOne) {
  const Scratch scratch;
  for (const std::string& path : {tiny_fluid_file(scratch), foreign_fluid_file(scratch)}) {
    FluidTask task = task_of(path, {"data.valid=2", "data.test=3"});
    std::vector<torch::Tensor> all;
    for (int i = 0; i < 6; ++i) all.push_back(task.store().trajectory(i));
    const torch::Tensor frames = torch::stack(all).to(torch::kFloat64);
    const torch::Tensor heat = frames.select(2, 0), flow = frames.narrow(2, 1, 2);
    EXPECT_NEAR(heat.mean().item<double>(), 0, 1e-5);
    EXPECT_NEAR(heat.square().mean().item<double>(), 1, 1e-5);
    EXPECT_NEAR(flow.square().mean().item<double>(), 1, 1e-5);
    // A vector is only scaled.
    const torch::Tensor raw = task.store().read(2).narrow(1, 1, 2), ratio = raw / all[2].narrow(1, 1, 2);
    EXPECT_NEAR((ratio.max() - ratio.min()).item<double>(), 0, 1e-3);
    EXPECT_TRUE(task.store().normalisation().undo(all[2]).allclose(task.store().read(2), 1e-5, 1e-5));
  }
}

TEST(FluidTask, ThePublicNormalisationIsPointByPoint) {
  const Scratch scratch;
  FluidTask task = task_of(tiny_fluid_file(scratch), {"data.normalise=public"});
  std::vector<torch::Tensor> all;
  for (int i = 0; i < 6; ++i) all.push_back(task.store().trajectory(i));
  const torch::Tensor frames = torch::stack(all).to(torch::kFloat64);
  EXPECT_LT(frames.select(2, 0).mean(at::IntArrayRef{0, 1}).abs().max().item<double>(), 1e-5);
  EXPECT_LT((frames.select(2, 0).square().mean(at::IntArrayRef{0, 1}) - 1).abs().max().item<double>(), 1e-4);
  EXPECT_TRUE(all[1].narrow(1, 1, 2).equal(task.store().read(1).narrow(1, 1, 2)));
}

// Predicts growth by a trainable factor.
struct Growth {
  torch::Tensor factor = torch::tensor(1.2, torch::requires_grad());
  [[nodiscard]] Predictor predictor() const {
    return [*this](const torch::Tensor& x) { return factor * x.narrow(1, x.size(1) - 1, 1); };
  }
};

TEST(FluidTask, TrainsThroughSeveralPredictions) {
  const Scratch scratch;
  FluidTask task = task_of(tiny_fluid_file(scratch), {"data.unroll=3"});
  const Batch batch = task.batch(Split::train, kThree, {7, 5});
  ASSERT_EQ(batch.target.size(1), 3);
  const Growth growth;
  const torch::Tensor loss = task.training_loss(growth.predictor(), batch);
  loss.backward();
  // By hand: prediction k is factor^k times the last frame given.
  const torch::Tensor factor = torch::tensor(1.2, torch::requires_grad()), last = batch.input.narrow(1, 3, 1);
  torch::Tensor expected = torch::zeros({});
  for (int k = 1; k <= 3; ++k) {
    expected = expected + task.loss(factor.pow(k) * last, batch.target.narrow(1, k - 1, 1)) / 3;
  }
  expected.backward();
  EXPECT_NEAR(loss.item<double>(), expected.item<double>(), 1e-5 * expected.item<double>());
  EXPECT_NEAR(growth.factor.grad().item<double>(), factor.grad().item<double>(), 1e-4);
}

TEST(FluidTask, PushforwardLeavesTheFirstPredictionsOutOfLossAndGradient) {
  const Scratch scratch;
  FluidTask task = task_of(tiny_fluid_file(scratch), {"data.pushforward=2"});
  std::set<std::int64_t> lengths;
  for (std::int64_t step = 1; step <= 30; ++step) {
    const Batch batch = task.batch(Split::train, kThree, {7, step});
    EXPECT_TRUE(task.batch(Split::train, kThree, {7, step}).target.equal(batch.target));
    const std::int64_t count = batch.target.size(1);
    EXPECT_EQ(task.batch(Split::train, std::vector<std::int64_t>{1}, {7, step}).target.size(1), count)
        << "every process of a run draws the same";
    lengths.insert(count);
    const Growth growth;
    task.training_loss(growth.predictor(), batch).backward();
    const torch::Tensor factor = torch::tensor(1.2, torch::requires_grad());
    const torch::Tensor given = batch.input.narrow(1, 3, 1) * std::pow(1.2, static_cast<double>(count - 1));
    task.loss(factor * given, batch.target.narrow(1, count - 1, 1)).backward();
    EXPECT_NEAR(growth.factor.grad().item<double>(), factor.grad().item<double>(),
                1e-4 * std::abs(factor.grad().item<double>()));
  }
  EXPECT_EQ(lengths, (std::set<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(task.batch(Split::train, kThree, {}).target.size(1), 3) << "memory is estimated for the longest";
  EXPECT_EQ(task.batch(Split::valid, std::vector<std::int64_t>{0}, {7, 5}).target.size(1), 1);
}

TEST(FluidTask, NoiseDependsOnTheVisitAndOnlyAffectsTraining) {
  const Scratch scratch;
  const std::string path = tiny_fluid_file(scratch);
  FluidTask clean = task_of(path), noisy = task_of(path, {"data.noise=0.1"});
  const Batch a = clean.batch(Split::train, kThree, {7, 5}), b = noisy.batch(Split::train, kThree, {7, 5});
  EXPECT_TRUE(b.target.equal(a.target));
  const torch::Tensor noise = (b.input - a.input) / 0.1;
  EXPECT_NEAR(noise.mean().item<double>(), 0, 0.1);
  EXPECT_NEAR(noise.std().item<double>(), 1, 0.1);
  EXPECT_TRUE(noisy.batch(Split::train, kThree, {7, 5}).input.equal(b.input));
  const torch::Tensor later =
      noisy.batch(Split::train, kThree, {7, 6}).input - clean.batch(Split::train, kThree, {7, 6}).input;
  EXPECT_FALSE(later.allclose(noise * 0.1, 1e-3, 1e-3)) << "another visit draws anew";
  EXPECT_FALSE(noise[0].allclose(noise[1], 1e-3, 1e-3)) << "and another trajectory";
  const std::vector<std::int64_t> one{1};
  EXPECT_TRUE(
      noisy.batch(Split::valid, one, {7, 5}).input.equal(clean.batch(Split::valid, one, {7, 5}).input));
}

TEST(FluidTask, WhatIsTrainedThroughMustFitATrajectory) {
  const Scratch scratch;
  const std::string path = tiny_fluid_file(scratch);
  task_of(path, {"data.unroll=6"});
  expect_error_with(
      [&] {
        task_of(path, {"data.unroll=4", "data.pushforward=3"});
      },
      {"data.unroll", "data.pushforward", "11 frames", "10"});
}

TEST(FluidTask, LossAndErrorMatchThePaper) {
  const Scratch scratch;
  FluidTask task = task_of(tiny_fluid_file(scratch), {"data.windows=0"});
  const Batch batch = task.batch(Split::train, kThree, {});
  const auto loss = task.loss(batch.target + 0.5, batch.target).item<double>();
  EXPECT_NEAR(loss, 3 * 0.25, 1e-5) << "summed over three planes, mean over space";
  const auto last = [](const torch::Tensor& x) { return x.narrow(1, 3, 1) + 0.1; };
  const Metrics metrics = task.evaluate(Split::test, last, Depth::full);
  double error = 0, heat = 0;
  torch::Tensor rollout = torch::zeros({6}, torch::kFloat64);
  for (int i = 8; i < 11; ++i) {
    const torch::Tensor all = task.store().trajectory(i).to(torch::kFloat64);
    for (int start = 0; start < 6; ++start) {
      const torch::Tensor difference =
          (all[start + 3] + 0.1 - all[start + 4]).square().mean(at::IntArrayRef{1, 2});
      error += difference.sum().item<double>() / 18;
      heat += difference[0].item<double>() / 18;
    }
    for (int k = 0; k < 6; ++k) {
      rollout[k] += (all[3] + 0.1 * (k + 1) - all[4 + k]).square().mean(at::IntArrayRef{1, 2}).sum() / 3;
    }
  }
  EXPECT_NEAR(metrics.error, error, 1e-5 * error);
  EXPECT_NEAR(metrics.number("one_step/heat"), heat, 1e-5 * heat);
  ASSERT_EQ(metrics.by_step.size(), 1U);
  ASSERT_EQ(metrics.curve("rollout").size(), 6U);
  for (std::size_t k = 0; k < 6; ++k) {
    const auto expected = rollout[static_cast<std::int64_t>(k)].item<double>();
    EXPECT_NEAR(metrics.curve("rollout")[k], expected, 1e-5 * expected);
  }
  EXPECT_NEAR(metrics.number("rollout_5"), rollout.narrow(0, 0, 5).sum().item<double>(), 1e-3);
  EXPECT_NEAR(metrics.number("rollout_long"), rollout.mean().item<double>(), 1e-3);
  EXPECT_TRUE(task.evaluate(Split::test, last, Depth::quick).curves.empty());
  EXPECT_EQ(task.trivial(Split::test).front().first, "persistence");
}

// The truth as predictor has no error, and drifts like the truth.
TEST(FluidTask, ThePerfectPredictorIsPerfect) {
  const Scratch scratch;
  FluidTask task = task_of(tiny_fluid_file(scratch));
  std::vector<torch::Tensor> all;
  for (int i = 8; i < 11; ++i) all.push_back(task.store().trajectory(i));
  const auto knows = [&](const torch::Tensor& x) {
    std::vector<torch::Tensor> next;
    for (std::int64_t n = 0; n < x.size(0); ++n) {
      for (const torch::Tensor& frames : all) {
        for (int start = 0; start < 6; ++start) {
          if (frames.narrow(0, start, 4).equal(x[n])) next.push_back(frames.narrow(0, start + 4, 1));
        }
      }
    }
    return torch::stack(next);
  };
  const Metrics metrics = task.evaluate(Split::test, knows, Depth::full);
  EXPECT_EQ(metrics.error, 0);
  EXPECT_EQ(metrics.number("scaled_l2"), 0);
  EXPECT_EQ(metrics.number("rollout_long"), 0);
  for (const char* name : {"mass_drift", "enstrophy_drift", "spectrum"}) {
    EXPECT_EQ(metrics.curve(name), metrics.curve(std::string(name) + "_truth")) << name;
  }
}

TEST(FluidTask, SeveralFramesAreRolledOutTogether) {
  const torch::Tensor history = torch::arange(4, torch::kFloat32).view({1, 4, 1, 1, 1});
  const auto counts = [](const torch::Tensor& x) {
    EXPECT_EQ(x.size(1), 4);
    return x.narrow(1, 3, 1) + torch::arange(1, 4, torch::kFloat32).view({1, 3, 1, 1, 1});
  };
  const torch::Tensor rolled = roll_out(counts, history, 8).flatten();
  EXPECT_TRUE(rolled.equal(torch::arange(4, 12, torch::kFloat32)));
}

TEST(FluidTask, DamagedTrajectoriesAreNamedOrLeftOut) {
  const Scratch scratch;
  const std::string path = tiny_fluid_file(scratch, 1);
  damage(path, 3);
  expect_error_with(
      [&] {
        FluidTask task = task_of(path);
        task.batch(Split::train, std::vector<std::int64_t>{0, 1, 2, 3}, {1, 1});
      },
      {path, "trajectory 3", "heat", "checksum"});
  FluidTask task = task_of(path, {"data.damaged=skip"});
  EXPECT_EQ(task.size(Split::train), 4);
  ASSERT_EQ(task.notes().size(), 2U);
  EXPECT_NE(task.notes()[0].find("trajectory 1 became unstable"), std::string::npos);
  EXPECT_NE(task.notes()[1].find("trajectory 3"), std::string::npos);
  for (std::int64_t i = 0; i < 4; ++i) EXPECT_NE(task.trajectory_of(Split::train, i), 3);
}

TEST(FluidTask, NonFiniteNumbersAreFound) {
  const Scratch scratch;
  const std::string path = foreign_fluid_file(scratch);
  damage(path, 4, std::nanf(""));
  const std::vector<std::string> split{"data.valid=2", "data.test=3"};
  expect_error_with([&] { task_of(path, split); }, {path, "trajectory 4", "non-finite", "'heat'", "frame 2"});
  EXPECT_EQ(task_of(path, {"data.valid=2", "data.test=3", "data.damaged=skip"}).size(Split::train), 5);
}

TEST(FluidTask, HoldsOutTheLastTrajectoriesOfForeignFiles) {
  const Scratch scratch;
  const std::string path = foreign_fluid_file(scratch);
  FluidTask task = task_of(path, {"data.valid=2", "data.test=3"});
  EXPECT_EQ(task.size(Split::train), 6);
  EXPECT_EQ(task.trajectory_of(Split::valid, 0), 6);
  EXPECT_EQ(task.trajectory_of(Split::test, 2), 10);
  FluidTask none = task_of(path);
  EXPECT_EQ(none.size(Split::train), 11);
  expect_error_with([&] { none.require(Split::valid); },
                    {path, "'valid'", "--valid N", "--set data.valid=N"});
  expect_error_with([&] { none.trivial(Split::test); }, {path, "'test'", "--set data.test=N"});
  expect_error_with(
      [&] {
        task_of(path, {"data.valid=2", "data.test=11"}).require(Split::test);
      },
      {"data.test", "11"});
}

// Such files do not say where they belong.
TEST(FluidTask, SeveralForeignFilesFollowEachOther) {
  const Scratch scratch;
  const std::string path = foreign_fluid_file(scratch);
  std::filesystem::copy_file(path, scratch / "foreign2.h5");
  const FluidTask task = task_of(scratch / "foreign*.h5", {"data.valid=2", "data.test=3"});
  EXPECT_EQ(task.size(Split::train), 17);
  EXPECT_EQ(task.size(Split::test), 3);
  std::filesystem::copy_file(tiny_fluid_file(scratch), scratch / "foreign3.h5");
  expect_error_with([&] { task_of(scratch / "foreign*.h5"); }, {"are not parts of one set"});
}

// As two processes would write it.
TEST(FluidTask, PartsOfASetGiveTheRunOfTheWhole) {
  const Scratch scratch;
  const data::SmokeSet set = [] {
    data::SmokeSet smoke{sim::smoke::Options::small()};
    smoke.options.cells = 16, smoke.options.length = 4, smoke.options.steps = 24;
    return smoke;
  }();
  const data::SetOptions whole{{4, 2, 2}, scratch / "smoke.h5", false, 1};
  generate(set, whole, {});
  for (int rank = 0; rank < 2; ++rank) generate(set, data::part_of(whole, rank, 2), {});
  const auto config = [](const std::string& file) {
    return fluid_config(file, {"data.fields=s,v", "data.history=2", "train.steps=4"});
  };
  train(config(whole.out), scratch / "one");
  train(config(scratch / "smoke-?.h5"), scratch / "parts");
  expect_same_run(scratch / "one", scratch / "parts");
  EXPECT_EQ(data_title(scratch / "parts").rfind("smoke-?.h5: ", 0), 0U) << data_title(scratch / "parts");
  EXPECT_EQ(
      evaluate(scratch / "one", Checkpoint::last, Split::test, scratch / "smoke-*.h5").network.metrics.error,
      evaluate(scratch / "parts", Checkpoint::last, Split::test).network.metrics.error);
}

TEST(FluidTask, ReportsMismatches) {
  const Scratch scratch;
  const std::string path = tiny_fluid_file(scratch);
  expect_error_with([&] { task_of(""); }, {"data.file is not set"});
  expect_error_with([&] { task_of(scratch / "none.h5"); }, {"none.h5"});
  expect_error_with([&] { task_of(path, {"model.fields=v,s"}); },
                    {"\"v,s\"", "heat (scalar), flow (vector)", "\"s,v\""});
  expect_error_with([&] { task_of(path, {"data.names=heat,wind"}); }, {"no field 'wind'", "heat, flow"});
  EXPECT_EQ(task_of(path, {"data.names=flow,heat", "data.fields=v,s"}).size(Split::test), 3);
  expect_error_with([&] { task_of(path, {"data.history=10"}); }, {"11", "10 frames"});
  expect_error_with([&] { task_of(path, {"data.train=7"}).require(Split::train); }, {"data.train", "7", "6"});
}

// Stops a run three times and compares it with an uninterrupted one.
void expect_exact_resume(const std::vector<std::string>& settings) {
  const Scratch scratch;
  const Config config = fluid_config(tiny_fluid_file(scratch), settings);
  train(config, scratch / "whole");
  int stops = 0;
  Observer stopping;
  stopping.stop = [&] { return ++stops % 3 == 0; };
  int starts = 0;
  while (train(config, scratch / "parts", stopping).end == End::stopped) ++starts;
  EXPECT_EQ(starts, 3);
  expect_same_run(scratch / "whole", scratch / "parts");
}

TEST(FluidTask, ARunResumesBitForBit) { expect_exact_resume({"train.accumulate=2", "train.ema=0.9"}); }

TEST(FluidTask, ARunThroughSeveralPredictionsResumesBitForBit) {
  expect_exact_resume({"data.unroll=2", "data.pushforward=1", "data.noise=0.01"});
}

// Another file is normalised by the means and scales of the training data, not its own.
TEST(FluidTask, ARunKeepsItsNormalisation) {
  const Scratch scratch;
  const std::string run = scratch / "run", path = tiny_fluid_file(scratch);
  const Result result = *train(fluid_config(path), run).result;
  const auto again = evaluate(run, Checkpoint::best, Split::test);
  EXPECT_EQ(again.network.metrics.error, result.test_best.metrics.error);
  EXPECT_EQ(again.network.metrics.curve("rollout"), result.test_best.metrics.curve("rollout"));
  NamedTensors kept = read_safetensors(run + "/data.safetensors").tensors;
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].first, "mean");
  kept[0].second += 100;
  write_safetensors(run + "/data.safetensors", kept);
  EXPECT_NE(evaluate(run, Checkpoint::best, Split::test).network.metrics.error,
            result.test_best.metrics.error);
  kept[0].second = torch::zeros({2, 1, 1});
  write_safetensors(run + "/data.safetensors", kept);
  expect_error_with([&] { evaluate(run, Checkpoint::best, Split::test); }, {path, "(2, 1, 1)", "3 planes"});
}

}  // namespace fluid_task_test
}  // namespace gcan::train
