#include "gcan/train/files/metrics_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gcan/files/durable.h"
#include "gcan/train/files/result_json.h"
#include "tests/data/scratch.h"

namespace gcan::train {
namespace metrics_file_test {

using test::expect_error_with;
using test::Scratch;

TEST(MetricsLog, TruncatesToAStep) {
  const Scratch scratch;
  const std::string path = scratch / "m.jsonl";
  {
    MetricsLog log(path, 0);
    for (int step = 1; step <= 4; ++step) log.add({{"kind", "train"}, {"step", step}, {"loss", 0.1}});
    log.flush();
  }
  std::ofstream(path, std::ios::app) << R"({"kind":"train","st)";  // cut off by a kill
  {
    MetricsLog log(path, 2);
    log.add({{"kind", "train"}, {"step", 3}, {"loss", 0.2}});
  }
  EXPECT_EQ(files::read_whole(path),
            "{\"kind\":\"train\",\"step\":1,\"loss\":0.1}\n{\"kind\":\"train\",\"step\":2,\"loss\":0.1}\n"
            "{\"kind\":\"train\",\"step\":3,\"loss\":0.2}\n");
}

TEST(MetricsLog, ReportsFailedWrites) {
  const Scratch scratch;
  expect_error_with([&] { MetricsLog(scratch / "no/m.jsonl", 0); }, {"no/m.jsonl"});
}

TEST(MetricsLog, MetricsRoundTrip) {
  const Metrics metrics{0.1 + 0.2, {1e-300, 3, std::nan("")}, {{"spectrum", 7.5}}};
  const Metrics back = metrics_from(to_json(metrics));
  EXPECT_EQ(back.error, metrics.error);
  EXPECT_EQ(back.by_step[0], 1e-300);
  EXPECT_TRUE(std::isnan(back.by_step[2]));
  EXPECT_EQ(back.more, metrics.more);
  expect_error_with([] { metrics_from({{"by_step", 3}}); }, {"form"});
}

void write(const Scratch& run, const std::string& text) { std::ofstream(run / "metrics.jsonl") << text; }

TEST(MetricsFile, CurvesHoldEveryLineOfTheirKind) {
  const Scratch run;
  write(run,
        "{\"kind\":\"train\",\"step\":10,\"loss\":2.5}\n"
        "{\"kind\":\"valid\",\"step\":10,\"error\":3.5}\n"
        "{\"kind\":\"train\",\"step\":20,\"loss\":null}\n"
        "{\"kind\":\"train\",\"step\":30,\"lo");
  const auto curve = learning_curve(run / "");
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

TEST(MetricsFile, SpeedIsThatOfTheLastLines) {
  const Scratch run;
  EXPECT_FALSE(latest_metrics(run / "").steps_per_second.has_value());
  write(run,
        "{\"kind\":\"train\",\"step\":10,\"loss\":2.5,\"seconds\":1}\n"
        "{\"kind\":\"train\",\"step\":30,\"loss\":2.5,\"seconds\":5}\n");
  EXPECT_EQ(latest_metrics(run / "").steps_per_second, 5);
}

TEST(MetricsFile, AFolderWithoutOneIsNotARun) {
  const Scratch folder;
  expect_error_with([&] { learning_curve(folder / ""); }, {"not a run folder", "metrics.jsonl"});
  expect_error_with([&] { read_metrics(folder / ""); }, {"not a run folder", "metrics.jsonl"});
}

TEST(MetricsFile, ReadsCompleteLinesAndRejectsDamage) {
  const Scratch run;
  write(run, "{\"kind\":\"train\",\"step\":1,\"loss\":0.5}\n{\"kind\":\"tra");
  ASSERT_EQ(read_metrics(run / "").size(), 1U);
  EXPECT_EQ(read_metrics(run / "")[0]["loss"], 0.5);
  write(run, "{\"kind\":\"train\",\"step\":1,\"loss\":0.5}\n{oh\n{}\n");
  expect_error_with([&] { read_metrics(run / ""); }, {"metrics.jsonl", "damaged", "line 2"});
  EXPECT_EQ(learning_curve(run / "").train_steps, std::vector<double>{1});
}

}  // namespace metrics_file_test
}  // namespace gcan::train
