#include "gcan/train/loop/schedule.h"

#include <gtest/gtest.h>

#include "gcan/train/config.h"

namespace gcan::train {
namespace schedule_test {

Schedule schedule(const std::string& kind, std::int64_t steps, std::int64_t warmup) {
  config::Options options("train", train_options());
  options.set("schedule", kind);
  options.set("steps", steps);
  options.set("warmup_steps", warmup);
  options.set("learning_rate", 2.0);
  options.set("final_learning_rate", 0.5);
  return Schedule(options);
}

TEST(Schedule, AShareOfTheStepsWarmsUpAnyNumber) {
  config::Options options("train", train_options());
  options.set("warmup", 0.1);
  for (const auto& [steps, warmup] : {std::pair(672, 67), {670, 67}, {300, 30}, {9, 0}}) {
    options.set("steps", std::int64_t{steps});
    EXPECT_EQ(Schedule(options).warmup, warmup) << steps;
  }
  options.set("warmup_steps", std::int64_t{5});
  EXPECT_EQ(Schedule(options).warmup, 5);
}

TEST(Schedule, ConstantIsConstant) {
  const Schedule s = schedule("constant", 100, 0);
  for (std::int64_t step = 1; step <= 100; ++step) EXPECT_EQ(s(step), 2.0);
}

TEST(Schedule, WarmUpIsLinear) {
  for (const char* kind : {"constant", "cosine"}) {
    const Schedule s = schedule(kind, 100, 10);
    for (std::int64_t step = 1; step <= 10; ++step)
      EXPECT_DOUBLE_EQ(s(step), 0.2 * static_cast<double>(step));
  }
}

TEST(Schedule, CosineFallsFromPeakToLast) {
  const Schedule s = schedule("cosine", 110, 10);
  for (std::int64_t step = 11; step <= 110; ++step) EXPECT_LT(s(step), s(step - 1));
  EXPECT_DOUBLE_EQ(s(60), (2.0 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(s(110), 0.5);
  EXPECT_DOUBLE_EQ(s(35) + s(85), 2.5);  // a cosine is odd about its middle
}

TEST(Schedule, WarmUpToTheEnd) { EXPECT_EQ(schedule("cosine", 10, 10)(10), 2.0); }

}  // namespace schedule_test
}  // namespace gcan::train
