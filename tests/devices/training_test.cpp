// Training on a simulated device: equal to the CPU except for the last digits, resumed bit-for-bit, and
// resumed on another device.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "gcan/nn/detail/adam_step.h"
#include "gcan/nn/detail/autocast.h"
#include "gcan/nn/detail/tensor_path.h"
#include "gcan/train/device.h"
#include "gcan/train/file_prediction.h"
#include "gcan/train/loop/loss_scale.h"
#include "gcan/train/loop/trainer.h"
#include "gcan/train/tasks/fluid_rollout.h"
#include "tests/devices/pretend_device.h"
#include "tests/distributed/ranks.h"
#include "tests/train/tiny_fluid.h"
#include "tests/train/tiny_run.h"

namespace gcan::train {
namespace device_training_test {

using nn::detail::adam_update;
using nn::detail::AdamTensors;
using nn::detail::sum_of_squares;
using test::expect_same_run;
using test::fluid_config;
using test::pretend_device;
using test::Scratch;
using test::tiny_data;
using test::tiny_fluid_file;
using torch::Tensor;

Config tetris_config(const std::string& data, const std::vector<std::string>& more = {}) {
  std::vector<std::string> settings{
      "model.name=gca-mlp",       "model.channels=8",        "data.kind=tetris",  "data.file=" + data,
      "train.steps=12",           "train.batch=8",           "train.log_every=3", "train.validate_every=4",
      "train.checkpoint_every=5", "train.learning_rate=1e-2"};
  settings.insert(settings.end(), more.begin(), more.end());
  return make_config(settings);
}

Outcome train_there(const Config& config, const std::string& folder, const Observer& observer = {}) {
  return train(config, folder, observer, nullptr, {}, pretend_device());
}

Observer stops_after(std::int64_t steps) {
  Observer observer;
  observer.stop = [left = steps]() mutable { return --left == 0; };
  return observer;
}

std::vector<double> losses(const std::string& folder) {
  std::vector<double> found;
  for (const std::string& line : test::timeless_metrics(folder)) {
    const auto json = nlohmann::json::parse(line);
    found.push_back(json["kind"] == "train" ? json["loss"].get<double>() : json["error"].get<double>());
  }
  return found;
}

void expect_close_runs(const std::string& a, const std::string& b, double tolerance = 1e-4) {
  const std::vector<double> there = losses(a), here = losses(b);
  ASSERT_EQ(there.size(), here.size());
  ASSERT_FALSE(here.empty());
  for (std::size_t i = 0; i < here.size(); ++i) EXPECT_NEAR(there[i], here[i], tolerance * here[i]) << i;
}

nlohmann::json record_of(const std::string& folder) {
  return nlohmann::json::parse(test::contents(folder + "/run.json"));
}

TEST(DeviceTraining, TetrisMatchesTheCpuAndResumesBitForBit) {
  const Scratch scratch;
  const std::string data = tiny_data(scratch);
  int number = 0;
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{},
        {"train.ema=0.9", "train.clip=0.5", "train.accumulate=2", "train.batch=4"},
        {"train.optimizer=adamw", "train.weight_decay=0.1"},
        {"model.name=gca-gnn", "model.layers=2"}}) {
    SCOPED_TRACE(number);
    const Config config = tetris_config(data, more);
    const std::string name = std::to_string(number++), here = scratch / ("cpu" + name);
    const std::string there = scratch / ("device" + name), parts = scratch / ("parts" + name);
    train(config, here);
    EXPECT_EQ(train_there(config, there).end, End::complete);
    expect_close_runs(there, here);
    EXPECT_EQ(record_of(there)["device"], "privateuseone:0");
    EXPECT_EQ(record_of(here)["device"], "cpu");
    for (const std::int64_t steps : {1, 6}) {
      EXPECT_EQ(train_there(config, parts, stops_after(steps)).end, End::stopped);
    }
    EXPECT_EQ(train_there(config, parts).end, End::complete);
    expect_same_run(there, parts);
  }
}

TEST(DeviceTraining, FluidsMatchTheCpuAndResumeBitForBit) {
  const Scratch scratch;
  const std::string data = tiny_fluid_file(scratch);
  int number = 0;
  for (const std::vector<std::string>& more : {std::vector<std::string>{},
                                               {"model.checkpoint=true"},
                                               {"model.name=cresnet", "model.recompute=true"}}) {
    SCOPED_TRACE(number);
    const Config config = fluid_config(data, more);
    const std::string name = std::to_string(number++), here = scratch / ("cpu" + name);
    const std::string there = scratch / ("device" + name), parts = scratch / ("parts" + name);
    train(config, here);
    EXPECT_EQ(train_there(config, there).end, End::complete);
    expect_close_runs(there, here);
    EXPECT_EQ(train_there(config, parts, stops_after(7)).end, End::stopped);
    EXPECT_EQ(train_there(config, parts).end, End::complete);
    expect_same_run(there, parts);
  }
}

TEST(DeviceTraining, ResumesOnAnotherDeviceWithANote) {
  const Scratch scratch;
  const Config config = tetris_config(tiny_data(scratch), {"train.ema=0.9"});
  train(config, scratch / "cpu");
  for (const bool to_device : {true, false}) {
    const std::string moved = scratch / (to_device ? "to" : "from");
    Observer observer = stops_after(6);
    train(config, moved, observer, nullptr, {}, to_device ? torch::Device(torch::kCPU) : pretend_device());
    std::string notes;
    Observer then;
    then.note = [&](const std::string& sentence) { notes += sentence + "\n"; };
    const Outcome end =
        train(config, moved, then, nullptr, {}, to_device ? pretend_device() : torch::Device(torch::kCPU));
    EXPECT_EQ(end.end, End::complete);
    EXPECT_NE(notes.find(to_device ? "started on cpu and is resumed on privateuseone:0"
                                   : "started on privateuseone:0 and is resumed on cpu"),
              std::string::npos)
        << notes;
    expect_close_runs(moved, scratch / "cpu");
  }
}

TEST(DeviceTraining, TheHostWaitsForTheDeviceOnceAStep) {
  const Scratch scratch;
  const Config config = tetris_config(tiny_data(scratch), {"train.steps=9", "train.validate_every=9",
                                                           "train.checkpoint_every=9", "train.clip=1"});
  std::vector<std::int64_t> awaited;
  Observer observer;
  observer.progress = [&](const Progress&) { awaited.push_back(test::traffic().awaited); };
  train_there(config, scratch / "run", observer);
  ASSERT_EQ(awaited.size(), 9U);
  for (std::size_t i = 1; i + 1 < awaited.size(); ++i) EXPECT_EQ(awaited[i] - awaited[i - 1], 1) << i;
}

TEST(DeviceTraining, EvaluationsAndPredictionsMatchTheCpu) {
  const Scratch scratch;
  const std::string run = scratch / "run", data = tiny_data(scratch);
  train(tetris_config(data), run);
  const Evaluation here = evaluate(run, Checkpoint::best, Split::test),
                   there = evaluate(run, Checkpoint::best, Split::test, "", pretend_device());
  EXPECT_NEAR(there.network.metrics.error, here.network.metrics.error, 1e-4 * here.network.metrics.error);
  const std::vector<std::int64_t> indices{3, 1};
  const Prediction predicted = predict(run, Checkpoint::last, Split::test, indices, "", pretend_device());
  EXPECT_TRUE(predicted.prediction.device().is_cpu());
  EXPECT_TRUE(torch::allclose(predicted.prediction,
                              predict(run, Checkpoint::last, Split::test, indices).prediction, 1e-3, 1e-4));
  FilePredictionOptions file{run, data, scratch / "predicted.h5"};
  file.device = pretend_device();
  EXPECT_EQ(predict_file(file).trajectories, 36);

  const std::string fluid = scratch / "fluid";
  train(fluid_config(tiny_fluid_file(scratch)), fluid);
  const FluidRollout rolled = roll_out(fluid, Checkpoint::last, Split::test, 0, 0, 3, "", pretend_device());
  EXPECT_TRUE(torch::allclose(
      rolled.prediction, roll_out(fluid, Checkpoint::last, Split::test, 0, 0, 3).prediction, 1e-3, 1e-3));
}

TEST(DeviceTraining, RanksSumTheirGradientsFromTheDevice) {
  const Scratch scratch;
  const std::string data = tiny_data(scratch);
  const std::string base = scratch / "base";
  train(tetris_config(data, {"train.steps=1"}), base);
  for (const std::string wire : {"float", "bfloat16"}) {
    const Config config = tetris_config(data, {"train.wire=" + wire});
    const std::string alone = scratch / ("alone-" + wire), together = scratch / ("together-" + wire);
    // Threads share torch's random generator, which draws the initial weights.
    const Start start{base, Checkpoint::last};
    train(config, alone, {}, nullptr, start, pretend_device());
    test::expect_fine(test::run_ranks(2, [&](distributed::Group& group) {
      // The group lives as long as the rank.
      const std::shared_ptr<distributed::Group> shared(&group, [](distributed::Group*) {});
      const Config own = config;
      train(own, together, {}, shared, start, pretend_device());
    }));
    expect_close_runs(together, alone, wire == "float" ? 1e-4 : 0.05);
  }
}

TEST(DeviceTraining, ANonFiniteLossEndsIt) {
  const Scratch scratch;
  const Config config = tetris_config(tiny_data(scratch), {"train.learning_rate=1e30"});
  test::expect_error_with([&] { train_there(config, scratch / "run"); },
                          {"the loss is", "step", "learning_rate"});
}

// ---- the optimiser ----------------------------------------------------------------------------------------

AdamTensors random_tensors(bool average, torch::ScalarType type) {
  torch::manual_seed(3);
  AdamTensors made;
  for (const std::int64_t size : {1, 7, 1030}) {
    const auto draw = [&] { return torch::randn({size}, type); };
    made.parameters.push_back(draw());
    made.gradients.push_back(draw());
    made.means.push_back(draw());
    made.squares.push_back(draw().square());
    if (average) made.averages.push_back(draw());
  }
  return made;
}

template <class T>
void update_by_kernel(const kernels::AdamRule& rule, const AdamTensors& tensors) {
  for (std::size_t i = 0; i < tensors.parameters.size(); ++i) {
    const auto data = [&](const std::vector<Tensor>& list) {
      return list.empty() ? nullptr : list[i].data_ptr<T>();
    };
    kernels::adam_update<T>(rule,
                            {data(tensors.parameters), data(tensors.gradients), data(tensors.means),
                             data(tensors.squares), data(tensors.averages)},
                            0, static_cast<std::size_t>(tensors.parameters[i].numel()));
  }
}

void expect_same_tensors(const AdamTensors& a, const AdamTensors& b, double tolerance) {
  const auto check = [&](const std::vector<Tensor>& x, const std::vector<Tensor>& y, const char* what) {
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_TRUE(torch::allclose(x[i], y[i], tolerance, tolerance)) << what;
  };
  check(a.parameters, b.parameters, "parameters");
  check(a.means, b.means, "means");
  check(a.squares, b.squares, "squares");
  check(a.averages, b.averages, "averages");
}

TEST(AdamTensors, MatchTheKernelsStep) {
  for (const bool together : {true, false}) {
    for (const bool average : {true, false}) {
      for (const bool decoupled : {true, false}) {
        kernels::AdamRule rule;
        rule.step = 5;
        rule.learning_rate = 0.1;
        rule.weight_decay = 0.3;
        rule.decoupled = decoupled;
        rule.scale = 0.25;
        rule.average_decay = 0.8;
        AdamTensors single = random_tensors(average, torch::kFloat),
                    twofold = random_tensors(average, torch::kDouble);
        const AdamTensors by_kernel = random_tensors(average, torch::kFloat),
                          twofold_kernel = random_tensors(average, torch::kDouble);
        adam_update(rule, single, together);
        adam_update(rule, twofold, together);
        update_by_kernel<float>(rule, by_kernel);
        update_by_kernel<double>(rule, twofold_kernel);
        expect_same_tensors(single, by_kernel, 1e-5);
        expect_same_tensors(twofold, twofold_kernel, 1e-12);
        // Gradients are as they were.
        EXPECT_TRUE(torch::equal(single.gradients[1], by_kernel.gradients[1]));
      }
    }
  }
}

TEST(AdamTensors, SumOfSquaresCoversAllNumbers) {
  const std::vector<Tensor> tensors{torch::full({3}, 2.0F), torch::full({2, 2}, -1.0F)};
  for (const bool together : {true, false}) {
    EXPECT_NEAR(sum_of_squares(tensors, together).item<double>(), 16, 1e-5);
  }
}

// The optimiser's tensor operations, forced on the CPU, with everything it does besides the step.
TEST(AdamTensors, TrainLikeTheKernel) {
  const Scratch scratch;
  const std::string data = tiny_data(scratch);
  int number = 0;
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"train.ema=0.9", "train.clip=0.1"}, {"train.optimizer=adamw"}}) {
    const Config config = tetris_config(data, more);
    const std::string name = std::to_string(number++);
    train(config, scratch / ("kernel" + name));
    const nn::detail::TensorPath forced;
    train(config, scratch / ("tensors" + name));
    expect_close_runs(scratch / ("tensors" + name), scratch / ("kernel" + name));
  }
}

// ---- mixed precision --------------------------------------------------------------------------------------

TEST(LossScale, IsHalvedByNonFiniteGradientsAndDoubledAfterManySteps) {
  LossScale scale;
  EXPECT_EQ(scale.factor(), 65536);
  EXPECT_FALSE(scale.accepts(std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(scale.accepts(std::nan("")));
  EXPECT_EQ(scale.factor(), 16384);
  for (std::int64_t i = 1; i < LossScale::kRow; ++i) EXPECT_TRUE(scale.accepts(1));
  EXPECT_EQ(scale.row(), LossScale::kRow - 1);
  LossScale restored;
  restored.restore(scale.factor(), scale.row());
  EXPECT_TRUE(restored.accepts(1));
  EXPECT_EQ(restored.factor(), 32768);
  EXPECT_EQ(restored.row(), 0);
  EXPECT_FALSE(restored.is_exhausted());
  for (int i = 0; i < 16; ++i) restored.accepts(std::nan(""));
  EXPECT_TRUE(restored.is_exhausted());
}

TEST(LossScale, FactorsDoNotChangeTheStep) {
  const Config config =
      make_config({"model.name=mlp", "model.width=8", "data.kind=tetris", "train.clip=0.3"});
  torch::manual_seed(1);
  const auto one = config.make_network();
  const auto other = std::dynamic_pointer_cast<models::Network>(one->clone());
  const Tensor x = torch::randn({4, 1, 4, 32, 3});
  for (const nn::detail::TensorPath tensors; const double factor : {1.0, 1024.0}) {
    models::Network& network = factor == 1 ? *one : *other;
    Optimizer optimizer(network, config.train);
    (network.forward(x).square().sum() * factor).backward();
    const double norm = std::sqrt(optimizer.squared_norm().item<double>()) / factor;
    optimizer.step_with(1, 1e-2, norm, factor);
  }
  for (std::size_t i = 0; i < one->parameters().size(); ++i) {
    EXPECT_TRUE(torch::allclose(one->parameters()[i], other->parameters()[i], 1e-5, 1e-6));
  }
}

TEST(Autocast, RoundsConvolutionsAndProductsAndTrains) {
  const Scratch scratch;
  const std::string data = tiny_fluid_file(scratch);
  train(fluid_config(data), scratch / "float");
  for (const std::string more : {"model.checkpoint=false", "model.checkpoint=true"}) {
    const std::string run = scratch / more;
    const Config config = fluid_config(data, {"train.autocast=bfloat16", more});
    train(config, run);
    EXPECT_NE(losses(run), losses(scratch / "float"));
    expect_close_runs(run, scratch / "float", 0.1);
    const std::string parts = scratch / ("parts-" + more);
    train(config, parts, stops_after(5));
    train(config, parts);
    expect_same_run(run, parts);
  }
}

TEST(Autocast, BackwardUsesTheTypeOfForward) {
  torch::manual_seed(4);
  nn::GcaConv2d conv(nn::GcaConv2dOptions(Algebra(3), 2, 2, 3).padding(1));
  const Tensor x = torch::randn({2, 2, 3, 6, 6});
  const auto gradient = [&] {
    conv->zero_grad();
    Tensor y;
    {
      const nn::detail::AutocastState::Scope rounded(
          nn::detail::AutocastState(torch::kCPU, torch::kBFloat16));
      y = conv(x);
    }
    EXPECT_EQ(y.scalar_type(), torch::kBFloat16);
    y.to(torch::kFloat).square().sum().backward();  // outside of autocast
    return conv->action.grad().clone();
  };
  const Tensor found = gradient();
  conv->zero_grad();
  conv(x).square().sum().backward();
  const Tensor expected = conv->action.grad();
  EXPECT_EQ(found.scalar_type(), torch::kFloat);
  EXPECT_LE((found - expected).abs().max().item<double>(), 0.05 * expected.abs().max().item<double>());
  EXPECT_GT((found - expected).abs().max().item<double>(), 0);
  EXPECT_FALSE(nn::detail::autocast_type(torch::kCPU).has_value());
}

TEST(Autocast, RejectsUnsupportedDevices) {
  const Scratch scratch;
  const Config config = tetris_config(tiny_data(scratch), {"train.autocast=float16"});
  test::expect_error_with([&] { train(config, scratch / "run"); }, {"float16", "GPUs", "bfloat16"});
  EXPECT_FALSE(std::filesystem::exists(scratch / "run"));
  EXPECT_THROW(nn::detail::AutocastState(pretend_device(), torch::kHalf), Error);
}

// ---- names ------------------------------------------------------------------------------------------------

TEST(DeviceNames, AreThoseOfTheOption) {
  const auto named = [](const std::string& name, int rank = 0, int gpus = 2) {
    return device_named(name, rank, gpus, true);
  };
  EXPECT_EQ(named("cpu"), torch::Device(torch::kCPU));
  EXPECT_EQ(named("auto", 0, 0), torch::Device(torch::kCPU));
  EXPECT_EQ(named("auto", 1), torch::Device(torch::kCUDA, 1));
  EXPECT_EQ(named("cuda", 1), torch::Device(torch::kCUDA, 1));
  EXPECT_EQ(named("cuda:1"), torch::Device(torch::kCUDA, 1));
  test::expect_error_with([&] { named("cuda:2"); }, {"cuda:2", "no GPU 2", "2 GPUs"});
  test::expect_error_with([&] { named("auto", 2); }, {"process 2", "2 GPUs"});
  test::expect_error_with([&] { named("cuda", 0, 0); }, {"finds no usable GPU", "--device cpu"});
  test::expect_error_with([&] { device_named("cuda:0", 0, 0, false); }, {"without CUDA", "--device cpu"});
  for (const char* wrong : {"gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:999", "CUDA", ""}) {
    test::expect_error_with([&] { named(wrong); }, {"auto, cpu, cuda"});
  }
}

}  // namespace device_training_test
}  // namespace gcan::train
