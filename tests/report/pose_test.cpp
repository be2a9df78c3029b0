#include "gcan/report/pose.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "gcan/base/error.h"

namespace gcan::report {
namespace pose_test {

class Pose : public testing::Test {
 protected:
  double normal() { return distribution_(generator_); }
  Point3 point() { return {normal(), normal(), normal()}; }
  Rotation3 rotation() {
    double w = normal(), x = normal(), y = normal(), z = normal();
    const double n = std::sqrt(w * w + x * x + y * y + z * z);
    w /= n, x /= n, y /= n, z /= n;
    return {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
             {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
             {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
  }
  std::vector<Point3> moved(const Rotation3& r, const std::vector<Point3>& rest, const Point3& offset) {
    std::vector<Point3> result;
    for (const Point3& p : rest) {
      const Point3 q = turned(r, p);
      result.push_back({q[0] + offset[0], q[1] + offset[1], q[2] + offset[2]});
    }
    return result;
  }
  static double difference(const Rotation3& a, const Rotation3& b) {
    double worst = 0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) worst = std::max(worst, std::abs(a[i][j] - b[i][j]));
    return worst;
  }

 private:
  std::mt19937 generator_{1};
  std::normal_distribution<double> distribution_;
};

TEST_F(Pose, IsFoundFromPoints) {
  for (int i = 0; i < 50; ++i) {
    const std::vector<Point3> rest{point(), point(), point(), point()};
    const Rotation3 truth = rotation();
    EXPECT_LT(difference(fitted_rotation(rest, moved(truth, rest, point())), truth), 1e-4);
  }
}

TEST_F(Pose, IsFoundFromPointsInAPlane) {
  for (int i = 0; i < 50; ++i) {
    const std::vector<Point3> square{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    const Rotation3 truth = rotation();
    EXPECT_LT(difference(fitted_rotation(square, moved(truth, square, point())), truth), 1e-4);
  }
}

// The rotation of a line about itself is invisible, and kept.
TEST_F(Pose, OfALineIsTheNearestToThePrevious) {
  const std::vector<Point3> line{{0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {0, 0, 3}};
  for (int i = 0; i < 50; ++i) {
    const Rotation3 before = rotation();
    EXPECT_LT(difference(fitted_rotation(line, moved(before, line, point()), before), before), 1e-4);
    const Rotation3 other = rotation();
    const Rotation3 fitted = fitted_rotation(line, moved(other, line, {0, 0, 0}), before);
    const Point3 axis = turned(fitted, {0, 0, 1}), wanted = turned(other, {0, 0, 1});
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(axis[k], wanted[k], 1e-4);
  }
}

// Mirrored points have no rotation; the nearest one is still a rotation.
TEST_F(Pose, IsAlwaysProper) {
  for (int i = 0; i < 50; ++i) {
    const std::vector<Point3> rest{point(), point(), point(), point()};
    std::vector<Point3> mirrored = rest;
    for (Point3& p : mirrored) p[0] = -p[0];
    const Rotation3 r = fitted_rotation(rest, mirrored);
    const double determinant = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) -
                               r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
                               r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
    EXPECT_NEAR(determinant, 1, 1e-9);
  }
}

TEST_F(Pose, RejectsDifferentNumbersOfPoints) {
  const std::vector<Point3> one{{0, 0, 0}}, two{{0, 0, 0}, {1, 0, 0}};
  EXPECT_THROW(fitted_rotation(one, two), Error);
  EXPECT_THROW(fitted_rotation({}, {}), Error);
}

}  // namespace pose_test
}  // namespace gcan::report
