#include "bench/report.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

namespace gcan::bench {
namespace report_test {

TEST(Median, IsTheMiddleValue) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({5, 1, 3}), 3);
  EXPECT_EQ(median({1, 1, 1, 1e9, 1e9, 1, 1}), 1);
}

TEST(TimeText, ChoosesASuitableUnit) {
  EXPECT_EQ(time_text(2.5e-9), "2.5 ns");
  EXPECT_EQ(time_text(2.5e-6), "2.5 us");
  EXPECT_EQ(time_text(2.5e-3), "2.5 ms");
  EXPECT_EQ(time_text(2.5), "2.5 s");
}

TEST(Interleaved, TakesTurns) {
  std::string order;
  const auto work = [&order](char name) {
    order += name;
    std::this_thread::sleep_for(std::chrono::milliseconds(3));  // long enough for one call a measurement
  };
  const Comparison c = interleaved([&] { work('A'); }, [&] { work('B'); }, 3);
  EXPECT_EQ(order,
            "AB"
            "ABABAB");  // first determines the number of calls
  EXPECT_GE(c.ours, 3e-3);
  EXPECT_GE(c.theirs, 3e-3);
  EXPECT_GT(c.ratio, 0);
}

TEST(Report, EndsWithMachineReadableLines) {
  ::testing::internal::CaptureStdout();
  {
    Report report("title");
    report.ratio("row_a", {2e-3, 1e-3, 2});
    report.value("row_b", 1.5, "ns");
  }
  const std::string text = ::testing::internal::GetCapturedStdout();
  EXPECT_TRUE(text.starts_with("title\n")) << text;
  EXPECT_TRUE(text.ends_with("RATIO row_a 2.0000\nVALUE row_b 1.5 ns\n")) << text;
}

}  // namespace report_test
}  // namespace gcan::bench
