#include "gcan/sim/angles.h"

#include <gtest/gtest.h>

namespace gcan::sim {
namespace angles_test {

// Correctly rounded values, computed with 60 decimal digits: a machine with other bits violates the header's
// guarantee.
TEST(Angles, AreCorrectlyRounded) {
  const struct {
    int numerator, denominator;
    double cosine;
  } expected[] = {{1, 7, 0x1.cd4bca9cb5c71p-1},
                  {3, 7, 0x1.c7b90e3024582p-3},
                  {1, 192, 0x1.ffee74556616fp-1},
                  {95, 192, 0x1.0c12138f77d7bp-6},
                  {5, 11, 0x1.2375f640f44dbp-3},
                  {101, 1021, 0x1.e77941a73e88ep-1},
                  {255, 256, -0x1.fff62169b92dbp-1},
                  {-4, 9, 0x1.63a1a7e0b738ap-3},
                  {1000001, 17, 0x1.183b1c61f0d01p-2},
                  {1, 2, 0},
                  {-3, 2, 0},
                  {1, 1, -1}};
  for (const auto& [numerator, denominator, cosine] : expected)
    EXPECT_EQ(cos_pi(numerator, denominator), cosine) << numerator << " / " << denominator;
}

TEST(Angles, MirroredOnesAreExactlyMirrored) {
  for (const int denominator : {1, 2, 3, 8, 90, 192, 1021}) {
    for (int n = -denominator; n <= 3 * denominator; ++n) {
      const double cosine = cos_pi(n, denominator);
      EXPECT_EQ(cos_pi(-n, denominator), cosine);
      EXPECT_EQ(cos_pi(denominator - n, denominator), -cosine);
      EXPECT_EQ(cos_pi(n + 2 * denominator, denominator), cosine);
      EXPECT_EQ(sin_pi(denominator - 2 * n, 2 * denominator), cosine);
    }
  }
}

}  // namespace angles_test
}  // namespace gcan::sim
