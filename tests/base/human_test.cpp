#include "gcan/base/human.h"

#include <gtest/gtest.h>

namespace gcan::base {
namespace human_test {

TEST(Human, WholeNumbersAreGroupedFromFiveDigitsOn) {
  EXPECT_EQ(whole_text(0), "0");
  EXPECT_EQ(whole_text(1024), "1024");
  EXPECT_EQ(whole_text(-1024), "-1024");
  EXPECT_EQ(whole_text(16384), "16,384");
  EXPECT_EQ(whole_text(-131072), "-131,072");
  EXPECT_EQ(whole_text(1000000000000), "1,000,000,000,000");
}

TEST(Human, OneIsSingular) {
  EXPECT_EQ(counted(1, "trajectories"), "1 trajectory");
  EXPECT_EQ(counted(0, "trajectories"), "0 trajectories");
  EXPECT_EQ(counted(1, "steps"), "1 step");
  EXPECT_EQ(counted(131072, "steps"), "131,072 steps");
}

TEST(Human, SizesHaveTheUnitThatFits) {
  EXPECT_EQ(size_text(90), "90 bytes");
  EXPECT_EQ(size_text(999600), "1 MB");
  EXPECT_EQ(size_text(3.44e9), "3.44 GB");
  EXPECT_EQ(size_text(12.04e12), "12 TB");
  EXPECT_EQ(size_text(5e17), "500 PB");
}

TEST(Human, RatesHaveNoExponents) {
  EXPECT_EQ(rate_text(6099.7), "6,100");
  EXPECT_EQ(rate_text(1234567), "1,230,000");
  EXPECT_EQ(rate_text(999.7), "1,000");
  EXPECT_EQ(rate_text(12.345), "12.3");
  EXPECT_EQ(rate_text(0.2104), "0.21");
}

}  // namespace human_test
}  // namespace gcan::base
