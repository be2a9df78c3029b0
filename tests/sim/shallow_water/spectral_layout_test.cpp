#include "gcan/sim/shallow_water/spectral_layout.h"

#include <gtest/gtest.h>

#include <set>

namespace gcan::sim::shallow_water {
namespace spectral_layout_test {

TEST(SpectralLayout, GivesEveryCoefficientADistinctPlace) {
  for (const int truncation : {1, 2, 5, 31, 62}) {
    for (const int line : {8, 16}) {
      const SpectralLayout layout(truncation, line);
      std::set<int> places;
      for (int m = 0; m <= truncation; ++m) {
        EXPECT_EQ(layout.offset[static_cast<std::size_t>(m)] % line, 0);
        EXPECT_EQ(layout.run[static_cast<std::size_t>(m)] % line, 0);
        for (int l = m; l <= truncation + 1; ++l) places.insert(layout.index(l, m));
      }
      EXPECT_EQ(places.size(), static_cast<std::size_t>((truncation + 1) * (truncation + 4) / 2));
      EXPECT_GE(*places.begin(), 0);
      EXPECT_LT(*places.rbegin(), layout.size);
    }
  }
}

TEST(SpectralLayout, NeighbouringDegreesLieInTheOtherRun) {
  const SpectralLayout layout(62, 8);
  for (int m = 0; m <= 62; ++m) {
    const int run = layout.run[static_cast<std::size_t>(m)];
    for (int l = m; l <= 62; ++l) {
      const int step = layout.index(l + 1, m) - layout.index(l, m);
      EXPECT_EQ(step, (l - m) % 2 == 0 ? run : 1 - run);
    }
    EXPECT_EQ(layout.count(m, 0) + layout.count(m, 1), 64 - m);
  }
}

TEST(SpectralField, StoresItsCoefficients) {
  const SpectralLayout layout(7, 8);
  SpectralField<double> field(layout);
  field.set(layout, 5, 3, {1.5, -2.5});
  EXPECT_EQ(field.get(layout, 5, 3), std::complex<double>(1.5, -2.5));
  EXPECT_EQ(field.get(layout, 6, 3), std::complex<double>(0, 0));
}

}  // namespace spectral_layout_test
}  // namespace gcan::sim::shallow_water
