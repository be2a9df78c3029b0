#include "gcan/experiments/runtimes.h"

#include <gtest/gtest.h>

namespace gcan::experiments {
namespace runtimes_test {

TEST(Runtimes, MeasuresEachNetworkInEachRound) {
  const std::vector<NetworkCase> cases = {{"gca-resnet", 2, {"blocks=1"}}, {"resnet", 2, {"blocks=2"}}};
  RuntimeOptions options;
  options.height = options.width = 8;
  options.rounds = 3;
  int steps = 0;
  const auto results = measure_runtimes(cases, options, [&] { ++steps; });
  EXPECT_EQ(steps, steps_of(cases, options));
  ASSERT_EQ(results.size(), 2U);
  for (const Runtime& r : results) {
    EXPECT_EQ(r.both.size(), 3U);
    EXPECT_GT(r.parameters, 0);
    EXPECT_GT(r.peak, 0);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(r.both[i], r.forward[i] + r.backward[i], 1e-9);
  }
  EXPECT_EQ(cases[0].title(), "GCA-ResNet-2");
  EXPECT_DOUBLE_EQ(ratio(results[0], results[0]), 1);
}

TEST(Runtimes, RatioIsTheMedianOfTheRounds) {
  Runtime a, b;
  a.both = {2, 30, 4};
  b.both = {1, 10, 4};
  EXPECT_DOUBLE_EQ(ratio(a, b), 2);
}

// The paper's ten networks come first, and each is compared with plain networks.
TEST(Runtimes, RowsPointToPlainNetworks) {
  const auto& rows = runtime_rows();
  ASSERT_EQ(rows.size(), 14U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool plain = rows[i].network.model == "resnet" || rows[i].network.model == "unet";
    EXPECT_EQ(plain, rows[i].equal_parameters < 0) << rows[i].network.title();
    if (plain) continue;
    const auto& wide = rows[static_cast<std::size_t>(rows[i].equal_channels)].network;
    const std::int64_t blades = rows[i].network.model.rfind("gca", 0) == 0 ? 3 : 4;
    EXPECT_EQ(wide.channels, blades * rows[i].network.channels);
    EXPECT_GT(rows[i].paper_ratio, 1);
  }
}

}  // namespace runtimes_test
}  // namespace gcan::experiments
