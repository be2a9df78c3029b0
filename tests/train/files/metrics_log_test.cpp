#include "gcan/train/files/metrics_log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gcan/files/durable.h"
#include "tests/data/scratch.h"

namespace gcan::train {
namespace metrics_log_test {

using test::expect_error_with;
using test::Scratch;

TEST(MetricsLog, GoesBackToAStep) {
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

TEST(MetricsLog, SaysWhenItCannotWrite) {
  const Scratch scratch;
  expect_error_with([&] { MetricsLog(scratch / "no/m.jsonl", 0); }, {"no/m.jsonl"});
}

TEST(MetricsLog, MetricsComeBack) {
  const Metrics metrics{0.1 + 0.2, {1e-300, 3, std::nan("")}, {{"spectrum", 7.5}}};
  const Metrics back = metrics_from(to_json(metrics));
  EXPECT_EQ(back.error, metrics.error);
  EXPECT_EQ(back.by_step[0], 1e-300);
  EXPECT_TRUE(std::isnan(back.by_step[2]));
  EXPECT_EQ(back.more, metrics.more);
  expect_error_with([] { metrics_from({{"by_step", 3}}); }, {"form"});
}

}  // namespace metrics_log_test
}  // namespace gcan::train
