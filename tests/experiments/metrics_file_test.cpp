#include "gcan/experiments/metrics_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "tests/data/scratch.h"

namespace gcan::experiments {
namespace metrics_file_test {

using test::Scratch;

void write(const Scratch& run, const std::string& text) { std::ofstream(run / "metrics.jsonl") << text; }

TEST(MetricsFile, CurvesHoldEveryLineOfTheirKind) {
  const Scratch run;
  write(run,
        "{\"kind\":\"train\",\"step\":10,\"loss\":2.5}\n"
        "{\"kind\":\"valid\",\"step\":10,\"error\":3.5}\n"
        "{\"kind\":\"train\",\"step\":20,\"loss\":null}\n"
        "{\"kind\":\"train\",\"step\":30,\"lo");
  const auto curve = learning_curve(run / "", "MLP");
  EXPECT_EQ(curve.name, "MLP");
  EXPECT_EQ(curve.train_steps, (std::vector<double>{10, 20}));
  EXPECT_EQ(curve.train_errors[0], 2.5);
  EXPECT_TRUE(std::isnan(curve.train_errors[1]));
  EXPECT_EQ(curve.valid_steps, std::vector<double>{10});
  EXPECT_EQ(curve.valid_errors, std::vector<double>{3.5});
}

TEST(MetricsFile, TheLatestAreAtTheEndOfALongFile) {
  const Scratch run;
  EXPECT_EQ(latest_metrics(run / "").step, 0);
  std::string text;
  for (int i = 1; i <= 1000; ++i) {
    const std::string step = std::to_string(i);
    text += "{\"kind\":\"train\",\"step\":" + step + ",\"loss\":" + step + "}\n";
    text += "{\"kind\":\"valid\",\"step\":" + step + ",\"error\":0." + step + "}\n";
  }
  write(run, text + "{\"kind\":\"tr");
  const LatestMetrics latest = latest_metrics(run / "");
  EXPECT_EQ(latest.step, 1000);
  EXPECT_EQ(latest.loss, 1000);
  EXPECT_EQ(latest.valid, 0.1);
}

TEST(MetricsFile, AFolderWithoutOneIsNoRun) {
  const Scratch folder;
  test::expect_error_with([&] { learning_curve(folder / "", "MLP"); }, {"not a run folder", "metrics.jsonl"});
}

}  // namespace metrics_file_test
}  // namespace gcan::experiments
