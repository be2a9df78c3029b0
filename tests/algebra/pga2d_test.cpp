#include "gcan/algebra/pga2d.h"

#include "tests/algebra/random.h"

namespace gcan::pga2d {
namespace pga2d_test {

using gcan::test::error_of;
using gcan::test::near;
using gcan::test::Random;
using std::numbers::pi;
using V = Vec2<double>;

V rotated(const V& v, double angle) {
  return {std::cos(angle) * v[0] - std::sin(angle) * v[1], std::sin(angle) * v[0] + std::cos(angle) * v[1]};
}
void expect_near(const V& a, const V& b, double tolerance = 1e-11) {
  EXPECT_NEAR(a[0], b[0], tolerance);
  EXPECT_NEAR(a[1], b[1], tolerance);
}

class Pga2d : public ::testing::Test {
 protected:
  V vec() { return {random.number(-3, 3), random.number(-3, 3)}; }
  Motor<> motor() { return Motor<>::translation(vec()) * Motor<>::rotation(random.number(-6, 6)); }
  Random random;
};

TEST_F(Pga2d, PointsKeepTheirCoordinates) {
  EXPECT_EQ(to_string(Point<>(1, 2)), "2e01 - e02 + e12");
  EXPECT_EQ(meet(Line<>(1, 0, -1), Line<>(0, 1, -2)), Point<>(1, 2));
  EXPECT_EQ(Direction<>(3, 4).normalized().coordinates(), (V{0.6, 0.8}));
}

TEST_F(Pga2d, MotionsTurnAndShift) {
  for (int n = 0; n < 20; ++n) {
    const V v = vec();
    const V c = vec();
    const V t = vec();
    const double angle = random.number(-7, 7);
    expect_near(Motor<>::rotation(angle)(Point<>(v)).coordinates(), rotated(v, angle));
    const V about = rotated({v[0] - c[0], v[1] - c[1]}, angle);
    expect_near(Motor<>::rotation(Point<>(c), angle)(Point<>(v)).coordinates(),
                {c[0] + about[0], c[1] + about[1]});
    expect_near(Motor<>::translation(t)(Point<>(v)).coordinates(), {v[0] + t[0], v[1] + t[1]});
    expect_near(Motor<>::translation(t)(Direction<>(v)).coordinates(), v);
    expect_near(Translator<>(t).displacement(), t);
    const Motor<> m = motor();
    EXPECT_TRUE(near(m(join(Point<>(v), Point<>(c))), join(m(Point<>(v)), m(Point<>(c))), 1e-12));
    EXPECT_TRUE(near(m * ~m, Motor<>(), 1e-13));
  }
}

TEST_F(Pga2d, IncidenceAndMeasure) {
  for (int n = 0; n < 20; ++n) {
    const V a = vec();
    const V b = vec();
    const V c = vec();
    const Line<> ab = join(Point<>(a), Point<>(b));
    for (const V& v : {a, b})
      EXPECT_NEAR(ab.normal()[0] * v[0] + ab.normal()[1] * v[1] + ab.offset(), 0, 1e-12);
    expect_near(ab.direction(), {b[0] - a[0], b[1] - a[1]});
    EXPECT_TRUE(near(Line<>(Point<>(a), Direction<>(b[0] - a[0], b[1] - a[1])), ab, 1e-13) ||
                near(-Line<>(Point<>(a), Direction<>(b[0] - a[0], b[1] - a[1])), ab, 1e-13));
    const double length = std::hypot(b[0] - a[0], b[1] - a[1]);
    EXPECT_NEAR(distance(Point<>(a), Point<>(b)), length, 1e-12);
    const double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    EXPECT_NEAR(distance(Point<>(c), ab), std::abs(area) / length, 1e-11);
    const double side = ab.normal()[0] * c[0] + ab.normal()[1] * c[1] + ab.offset();
    EXPECT_NEAR(signed_distance(Point<>(c), ab), side / length, 1e-11);
    const V foot = project(Point<>(c), ab).coordinates();
    EXPECT_NEAR(distance(Point<>(foot), ab), 0, 1e-11);
    EXPECT_NEAR((foot[0] - c[0]) * (b[0] - a[0]) + (foot[1] - c[1]) * (b[1] - a[1]), 0, 1e-10);
    const Line<> parallel = project(ab, Point<>(c));
    EXPECT_NEAR(distance(Point<>(c), parallel), 0, 1e-11);
    EXPECT_NEAR(distance(ab, parallel), distance(Point<>(c), ab), 1e-8);
    EXPECT_NEAR(angle(ab, parallel), 0, 1e-7);
  }
  EXPECT_NEAR(angle(Line<>(1, 0, 5), Line<>(0, 1, -2)), pi / 2, 1e-15);
  EXPECT_EQ(distance(Line<>(1, 0, 0), Line<>(0, 1, 0)), 0);
}

TEST_F(Pga2d, ReflectionsMirror) {
  const Reflection<> mirror(Line<>(0, 2, -2));  // y = 1
  expect_near(mirror(Point<>(3, 5)).coordinates(), {3, -3});
  expect_near(mirror(Direction<>(3, 5)).coordinates(), {3, -5});
  const Reflection<> other(Line<>(1, 1, 0));
  expect_near((mirror * other)(Point<>(3, 5)).coordinates(), mirror(other(Point<>(3, 5))).coordinates());
}

TEST_F(Pga2d, MatricesFramesAndInterpolation) {
  for (int n = 0; n < 20; ++n) {
    const Motor<> m = motor();
    const Motor<> back = Motor<>::from_matrix(m.matrix());
    EXPECT_TRUE(near(back * (scalar_product(~m, back) < 0 ? -1 : 1), m, 1e-12));
    const Frame<> from{vec(), random.number(-3, 3)};
    const Frame<> to{vec(), random.number(-3, 3)};
    const Motor<> between = Motor<>::between(from, to);
    expect_near(between(Point<>(from.origin)).coordinates(), to.origin);
    expect_near(between(Direction<>(std::cos(from.angle), std::sin(from.angle))).coordinates(),
                {std::cos(to.angle), std::sin(to.angle)});
    const Motor<> a = motor();
    const Motor<> b = motor();
    const Motor<> half = interpolate(a, b, 0.5);
    const Motor<> end = half * ~a * half;
    EXPECT_TRUE(near(end * (scalar_product(~end, b) < 0 ? -1 : 1), b, 1e-11));
  }
  EXPECT_NE(error_of([] {
              (void)Motor<>::from_matrix({{{1, 0, 0}, {0, -1, 0}, {0, 0, 1}}});
            }).find("rigid motion"),
            std::string::npos);
}

TEST_F(Pga2d, WholeArraysMoveLikeSingleObjects) {
  const Motor<> m = motor();
  std::vector<Point<>> points;
  std::vector<Line<>> lines;
  for (int i = 0; i < 21; ++i) {
    points.emplace_back(vec());
    lines.push_back(join(Point<>(vec()), Point<>(vec())));
  }
  std::vector<Point<>> moved(points.size());
  std::vector<Line<>> turned(lines.size());
  m.apply(std::span<const Point<>>(points), std::span<Point<>>(moved));
  m.apply(std::span<const Line<>>(lines), std::span<Line<>>(turned));
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_TRUE(near(moved[i], m(points[i]), 1e-13));
    EXPECT_TRUE(near(turned[i], m(lines[i]), 1e-13));
  }
}

TEST_F(Pga2d, NoLengthNoNorm) {
  EXPECT_NE(error_of([] { (void)Direction<>(0, 0).normalized(); }), "");
  EXPECT_NE(error_of([] { (void)Line<>(0, 0, 1).normalized(); }), "");
  EXPECT_NE(error_of([] { (void)Point<>(Point<>::Base(Direction<>(1, 2))).normalized(); }), "");
}

}  // namespace pga2d_test
}  // namespace gcan::pga2d
