#include "gcan/report/equal_earth.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace gcan::report {
namespace equal_earth_test {

constexpr double kPi = std::numbers::pi;

TEST(EqualEarth, RoundTrips) {
  for (double latitude = -1.5; latitude <= 1.5; latitude += 0.25) {
    for (double longitude = -3; longitude <= 3; longitude += 0.5) {
      const GeoPoint place = from_equal_earth(equal_earth({longitude, latitude}));
      EXPECT_NEAR(place.longitude, longitude, 1e-9);
      EXPECT_NEAR(place.latitude, latitude, 1e-9);
    }
  }
}

// A cell of the sphere and its picture have areas of the same ratio everywhere.
TEST(EqualEarth, KeepsAreas) {
  constexpr double kStep = 1e-5;
  for (double latitude = -1.4; latitude <= 1.4; latitude += 0.2) {
    const MapPoint south = equal_earth({0, latitude - kStep}), north = equal_earth({0, latitude + kStep});
    const double width = equal_earth({1, latitude}).x;
    EXPECT_NEAR(width * (north.y - south.y) / (2 * kStep), std::cos(latitude), 1e-6) << latitude;
  }
}

TEST(EqualEarth, DetectsPointsOutside) {
  const MapPoint corner{equal_earth({kPi, 0}).x, equal_earth({0, 1.2}).y};
  EXPECT_GT(from_equal_earth(corner).longitude, kPi);
}

}  // namespace equal_earth_test
}  // namespace gcan::report
