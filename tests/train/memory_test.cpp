#include "gcan/train/memory.h"

#include <gtest/gtest.h>

#include "gcan/base/memory.h"
#include "gcan/train/loop/optimizer.h"
#include "tests/train/tiny_fluid.h"

namespace gcan::train {
namespace memory_test {

using test::expect_error_with;
using test::fluid_config;
using test::Scratch;

TEST(Memory, TooMuchIsOneSentenceThatNamesWhatToReduce) {
  const Scratch scratch;
  const Config config = fluid_config(test::tiny_fluid_file(scratch));
  check_memory(config, {1e9, 4e9, 2e9, 1e9}, 7.1e9);
  expect_error_with(
      [&] {
        check_memory(config, {1e9, 4e9, 2e9, 1e9}, 6.9e9);
      },
      {"about 8 GB", "1 GB for the weights", "4 GB for gradients", "2 GB for a batch of 2", "7.9 GB are free",
       "reduce model.channels (4)"});
  expect_error_with(
      [&] {
        check_memory(config, {1e9, 4e9, 5e9, 1e9}, 5e9);
      },
      {"reduce train.batch (2)", "train.accumulate"});
  expect_error_with([&] { check_memory(config, {1e9, 4e9, 5e9, 6e9}, 5e9); }, {"reduce data.memory"});
}

TEST(Memory, CountsWeightsOptimizerAndData) {
  const Scratch scratch;
  const Config config = fluid_config(test::tiny_fluid_file(scratch));
  const auto task = config.make_task();
  const auto network = config.make_network();
  double bytes = 0;
  for (const auto& parameter : network->parameters()) bytes += static_cast<double>(parameter.nbytes());
  const MemoryNeeds needs = memory_needs(config, *network, *task);
  EXPECT_EQ(needs.weights, bytes);
  EXPECT_EQ(needs.optimizer, 4 * bytes);
  EXPECT_EQ(needs.data, 11 * 10 * 3 * 64 * 4);
}

// Trials on a network that is wide enough for them have no side effects.
TEST(Memory, TrialsChangeNothingAndSeeTheBatch) {
  const Scratch scratch;
  const auto needs_of = [&](const std::string& batch) {
    const Config config =
        fluid_config(test::tiny_fluid_file(scratch), {"model.channels=256", "train.batch=" + batch});
    const auto task = config.make_task();
    torch::manual_seed(3);
    const auto network = config.make_network();
    NamedTensors before;
    for (const auto& [name, tensor] : weights_of(*network))
      before.emplace_back(name, tensor.detach().clone());
    const torch::Tensor random = at::detail::getDefaultCPUGenerator().get_state();
    const MemoryNeeds needs = memory_needs(config, *network, *task);
    EXPECT_TRUE(torch::equal(random, at::detail::getDefaultCPUGenerator().get_state()));
    EXPECT_TRUE(network->is_training());
    const NamedTensors after = weights_of(*network);
    for (std::size_t i = 0; i < after.size(); ++i)
      EXPECT_TRUE(torch::equal(before[i].second, after[i].second));
    for (const auto& parameter : network->parameters()) EXPECT_FALSE(parameter.grad().defined());
    return needs;
  };
  // The growth of resident memory depends on what else the process has freed, so that single measurements
  // vary.
  MemoryNeeds few = needs_of("1"), many = needs_of("6");
  for (int attempt = 1; attempt < 4 && many.activations < few.activations; ++attempt) {
    few = needs_of("1");
    many = needs_of("6");
  }
  ASSERT_GT(few.weights, 2e7) << "too small for a trial";
  EXPECT_GT(few.activations, 0);
  EXPECT_GE(many.activations, few.activations);
}

TEST(Memory, TooLargeANetworkIsRejectedBeforeAllocation) {
  const Scratch scratch;
  const base::MemoryLimit little(1.5e9);
  const Config config = fluid_config(test::tiny_fluid_file(scratch), {"model.channels=4096"});
  expect_error_with([&] { train(config, scratch / "run"); },
                    {"gca-resnet", "too large", "free", "reduce model.channels (4096)"});
  EXPECT_FALSE(std::filesystem::exists(scratch / "run"));
}

}  // namespace memory_test
}  // namespace gcan::train
