#include "gcan/base/spelling.h"

#include <gtest/gtest.h>

namespace gcan::base {
namespace spelling_test {

const std::vector<std::string> kWords{"exp", "grade", "I", "sandwich", "e12"};

TEST(Nearest, FindsCommonSlips) {
  EXPECT_EQ(nearest("exo", kWords), "exp");      // another letter
  EXPECT_EQ(nearest("gade", kWords), "grade");   // one too few
  EXPECT_EQ(nearest("grdae", kWords), "grade");  // two swapped
  EXPECT_EQ(nearest("sandwitsh", kWords), "sandwich");
  EXPECT_EQ(nearest("sandwichhh", kWords), "sandwich");  // as far as ten letters may be
  EXPECT_EQ(nearest("swichhh", kWords), "");
  EXPECT_EQ(nearest("E12", kWords), "e12");
  EXPECT_EQ(nearest("i", kWords), "I");
}

TEST(Nearest, IsEmptyIfNothingIsNear) {
  EXPECT_EQ(nearest("x", kWords), "");
  EXPECT_EQ(nearest("conjugate", kWords), "");
  EXPECT_EQ(nearest("", kWords), "");
  EXPECT_EQ(nearest(std::string(100000, 'x'), kWords), "");
}

}  // namespace spelling_test
}  // namespace gcan::base
