#include "gcan/algebra/pga3d.h"

#include <sstream>

#include "tests/algebra/random.h"

namespace gcan::pga3d {
namespace pga3d_test {

using gcan::test::error_of;
using gcan::test::near;
using gcan::test::Random;
using std::numbers::pi;

// Plain vector geometry to compare with.
using V = Vec3<double>;
V operator+(const V& a, const V& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
V operator-(const V& a, const V& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
V operator*(double s, const V& a) { return {s * a[0], s * a[1], s * a[2]}; }
double dot(const V& a, const V& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
V cross(const V& a, const V& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double length(const V& a) { return std::sqrt(dot(a, a)); }
V unit(const V& a) { return (1 / length(a)) * a; }
// Rodrigues' formula.
V rotated(const V& v, const V& axis, double angle) {
  const V n = unit(axis);
  return std::cos(angle) * v + std::sin(angle) * cross(n, v) + (1 - std::cos(angle)) * dot(n, v) * n;
}

void expect_near(const V& a, const V& b, double tolerance = 1e-12) {
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(a[i], b[i], tolerance * (1 + length(b)));
}

class Pga3d : public ::testing::Test {
 protected:
  V vec() { return {random.number(-3, 3), random.number(-3, 3), random.number(-3, 3)}; }
  Point<> point() { return Point<>(vec()); }
  Line<> line() { return {point(), point()}; }
  Plane<> plane() { return {Direction<>(vec()), point()}; }
  Motor<> motor() { return Motor<>::screw(line(), random.number(-6, 6), random.number(-2, 2)); }
  Random random;
};

TEST_F(Pga3d, PointsAndDirectionsKeepTheirCoordinates) {
  const Point<> p(1, 2, 3);
  EXPECT_EQ(to_string(p), "-3e012 + 2e013 - e023 + e123");
  EXPECT_EQ(p.coordinates(), (V{1, 2, 3}));
  EXPECT_EQ(Point<>(Point<>::Base(p * 5.0)).coordinates(), (V{1, 2, 3}));
  EXPECT_EQ(Direction<>(1, 2, 3).coordinates(), (V{1, 2, 3}));
  // The point is where the planes x = 1, y = 2 and z = 3 meet.
  EXPECT_EQ(meet(Plane<>(1, 0, 0, -1), Plane<>(0, 1, 0, -2), Plane<>(0, 0, 1, -3)), p);
}

TEST_F(Pga3d, RotationsAreRodrigues) {
  for (int n = 0; n < 20; ++n) {
    const V axis = vec();
    const V centre = vec();
    const V v = vec();
    const double angle = random.number(-7, 7);
    expect_near(Motor<>::rotation(axis, angle)(Point<>(v)).coordinates(), rotated(v, axis, angle));
    const Motor<> m = Motor<>::rotation(Line<>(Point<>(centre), Direction<>(axis)), angle);
    expect_near(m(Point<>(v)).coordinates(), centre + rotated(v - centre, axis, angle));
    expect_near(m(Direction<>(v)).coordinates(), rotated(v, axis, angle));
    const double step = random.number();
    const Motor<> screw = Motor<>::screw(Line<>(Point<>(centre), Direction<>(axis)), angle, step);
    expect_near(screw(Point<>(v)).coordinates(),
                centre + rotated(v - centre, axis, angle) + step * unit(axis));
  }
}

TEST_F(Pga3d, TranslationsMovePointsAndLeaveDirectionsAlone) {
  const V t = vec();
  const V v = vec();
  expect_near(Motor<>::translation(t)(Point<>(v)).coordinates(), v + t);
  expect_near(Motor<>::translation(t)(Direction<>(v)).coordinates(), v);
  expect_near(Translator<>(t).displacement(), t);
}

TEST_F(Pga3d, MotorsComposeAndInvert) {
  const Motor<> a = motor();
  const Motor<> b = motor();
  const Point<> p = point();
  expect_near((a * b)(p).coordinates(), a(b(p)).coordinates());
  expect_near((~a)(a(p)).coordinates(), p.coordinates());
  EXPECT_TRUE(near(Motor<>() * a, a, 0));
}

TEST_F(Pga3d, MovedLinesAndPlanesGoThroughTheMovedPoints) {
  for (int n = 0; n < 20; ++n) {
    const Motor<> m = motor();
    const Point<> p = point();
    const Point<> q = point();
    const Point<> r = point();
    EXPECT_TRUE(near(m(join(p, q)), join(m(p), m(q)), 1e-12));
    EXPECT_TRUE(near(m(join(p, q, r)), join(m(p), m(q), m(r)), 1e-12));
  }
}

TEST_F(Pga3d, LinesKnowTheirDirectionAndMoment) {
  for (int n = 0; n < 20; ++n) {
    const V a = vec();
    const V b = vec();
    const Line<> l = join(Point<>(a), Point<>(b));
    expect_near(l.direction(), b - a);
    expect_near(l.moment(), cross(a, b - a));
    EXPECT_TRUE(near(l, Line<>(Point<>(a), Point<>(b)), 1e-13));
    EXPECT_TRUE(near(l, Line<>(Point<>(a), Direction<>(b - a)), 1e-13));
    EXPECT_TRUE(near(l, Line<>::from_pluecker(b - a, cross(a, b - a)), 1e-13));
    const V foot = l.nearest_to_origin().coordinates();
    EXPECT_NEAR(dot(foot, l.direction()), 0, 1e-11);
    EXPECT_NEAR(distance(Point<>(foot), l), 0, 1e-12);
  }
  EXPECT_NE(error_of([] {
              (void)Line<>::from_pluecker({1, 0, 0}, {1, 0, 0});
            }).find("perpendicular"),
            std::string::npos);
}

TEST_F(Pga3d, PlanesAreTheirEquations) {
  for (int n = 0; n < 20; ++n) {
    const V a = vec();
    const V b = vec();
    const V c = vec();
    const Plane<> p = join(Point<>(a), Point<>(b), Point<>(c));
    for (const V& v : {a, b, c}) EXPECT_NEAR(dot(p.normal(), v) + p.offset(), 0, 1e-11);
    const V normal = cross(b - a, c - a);
    EXPECT_NEAR(std::abs(dot(unit(p.normal()), unit(normal))), 1, 1e-12);
    const Plane<> q{Direction<>(normal), Point<>(a)};
    EXPECT_NEAR(angle(p, q) < pi / 2 ? angle(p, q) : pi - angle(p, q), 0, 1e-7);
  }
}

TEST_F(Pga3d, MeetsLieOnBoth) {
  for (int n = 0; n < 20; ++n) {
    const Plane<> p = plane();
    const Plane<> q = plane();
    const Line<> common = meet(p, q);
    const V d = common.direction();
    expect_near(unit(d), unit(cross(p.normal(), q.normal())), 1e-10);
    const Point<> foot = common.nearest_to_origin();
    EXPECT_NEAR(distance(foot, p), 0, 1e-9);
    EXPECT_NEAR(distance(foot, q), 0, 1e-9);
    const Line<> l = line();
    const Point<> hit = meet(p, l);
    EXPECT_NEAR(distance(hit, p), 0, 1e-8);
    EXPECT_NEAR(distance(hit, l), 0, 1e-8);
  }
  EXPECT_TRUE(meet(Plane<>(0, 0, 1, 0), Line<>(Point<>(0, 0, 1), Direction<>(1, 0, 0))).at_infinity());
}

TEST_F(Pga3d, DistancesAndAngles) {
  for (int n = 0; n < 20; ++n) {
    const V a = vec();
    const V b = vec();
    const V c = vec();
    const V d = vec();
    EXPECT_NEAR(distance(Point<>(a), Point<>(b)), length(b - a), 1e-12);
    const Line<> ab{Point<>(a), Point<>(b)};
    const Line<> cd{Point<>(c), Point<>(d)};
    EXPECT_NEAR(distance(Point<>(c), ab), length(cross(b - a, c - a)) / length(b - a), 1e-11);
    const V n_ab_cd = cross(b - a, d - c);
    EXPECT_NEAR(distance(ab, cd), std::abs(dot(c - a, n_ab_cd)) / length(n_ab_cd), 1e-10);
    const Plane<> p{Direction<>(c), Point<>(d)};
    EXPECT_NEAR(signed_distance(Point<>(a), p), dot(unit(c), a - d), 1e-11);
    EXPECT_NEAR(distance(Point<>(a), p), std::abs(dot(unit(c), a - d)), 1e-11);
    EXPECT_NEAR(angle(ab, cd), std::acos(dot(unit(b - a), unit(d - c))), 1e-7);
    EXPECT_NEAR(angle(p, Plane<>(Direction<>(a), Point<>(b))), std::acos(dot(unit(c), unit(a))), 1e-7);
    EXPECT_NEAR(angle(ab, p), std::asin(std::abs(dot(unit(b - a), unit(c)))), 1e-7);
    // Parallels.
    EXPECT_NEAR(distance(ab, Line<>(Point<>(c), Direction<>(b - a))), distance(Point<>(c), ab), 1e-7);
    EXPECT_NEAR(distance(p, Plane<>(Direction<>(c), Point<>(a))), distance(Point<>(a), p), 1e-9);
  }
  EXPECT_EQ(distance(Plane<>(1, 0, 0, 0), Plane<>(0, 1, 0, 0)), 0);
}

TEST_F(Pga3d, Projections) {
  for (int n = 0; n < 20; ++n) {
    const V a = vec();
    const V b = vec();
    const V c = vec();
    const V normal = unit(vec());
    const Plane<> p{Direction<>(2.0 * normal), Point<>(b)};
    expect_near(project(Point<>(a), p).coordinates(), a - dot(normal, a - b) * normal, 1e-10);
    const Line<> bc{Point<>(b), Point<>(c)};
    const V u = unit(c - b);
    expect_near(project(Point<>(a), bc).coordinates(), b + dot(u, a - b) * u, 1e-10);
    const Line<> shadow = project(bc, p);
    EXPECT_NEAR(distance(project(Point<>(b), p), shadow), 0, 1e-9);
    EXPECT_NEAR(distance(project(Point<>(c), p), shadow), 0, 1e-9);
    EXPECT_GT(dot(shadow.direction(), c - b), 0);
    const Line<> parallel = project(bc, Point<>(a));
    EXPECT_NEAR(distance(Point<>(a), parallel), 0, 1e-10);
    expect_near(unit(parallel.direction()), u, 1e-10);
    const Plane<> lifted = project(p, Point<>(a));
    EXPECT_NEAR(distance(Point<>(a), lifted), 0, 1e-10);
    expect_near(unit(lifted.normal()), normal, 1e-10);
  }
}

TEST_F(Pga3d, ReflectionsMirror) {
  for (int n = 0; n < 10; ++n) {
    const V normal = unit(vec());
    const V b = vec();
    const V a = vec();
    const Plane<> p{Direction<>(3.0 * normal), Point<>(b)};
    const Reflection<> mirror(p);
    expect_near(mirror(Point<>(a)).coordinates(), a - 2 * dot(normal, a - b) * normal, 1e-11);
    expect_near(mirror(Direction<>(a)).coordinates(), a - 2 * dot(normal, a) * normal, 1e-11);
    EXPECT_GT(mirror(Point<>(a)).weight(), 0);
    const V u = vec();
    const Line<> seen = mirror(Line<>(Point<>(a), Direction<>(u)));
    EXPECT_TRUE(near(seen, Line<>(mirror(Point<>(a)), mirror(Direction<>(u))), 1e-11));
    const Plane<> wall = mirror(Plane<>(Direction<>(u), Point<>(a)));
    EXPECT_TRUE(near(wall, Plane<>(mirror(Direction<>(u)), mirror(Point<>(a))), 1e-11));
    // Two reflections make a motion by twice the angle or distance between them.
    const Reflection<> other(plane());
    expect_near((mirror * other)(Point<>(a)).coordinates(), mirror(other(Point<>(a))).coordinates(), 1e-10);
  }
}

TEST_F(Pga3d, MatricesRoundTrip) {
  for (int n = 0; n < 50; ++n) {
    const Motor<> m =
        n == 0  ? Motor<>()
        : n < 4 ? Motor<>::rotation(Vec3<double>{n == 1 ? 1. : 0., n == 2 ? 1. : 0., n == 3 ? 1. : 0.}, pi)
                : motor();
    const Matrix4<double> matrix = m.matrix();
    const V v = vec();
    V by_matrix{};
    for (std::size_t i = 0; i < 3; ++i) {
      by_matrix[i] = matrix[i][0] * v[0] + matrix[i][1] * v[1] + matrix[i][2] * v[2] + matrix[i][3];
    }
    expect_near(m(Point<>(v)).coordinates(), by_matrix);
    const Motor<> back = Motor<>::from_matrix(matrix);
    const double sign = scalar_product(~m, back) < 0 ? -1 : 1;
    EXPECT_TRUE(near(back * sign, m, 1e-12));
  }
  Matrix4<double> bad = Motor<>().matrix();
  bad[0][0] = -1;
  EXPECT_NE(error_of([&] { (void)Motor<>::from_matrix(bad); }).find("right-handed"), std::string::npos);
  bad[0][0] = std::nan("");
  EXPECT_NE(error_of([&] { (void)Motor<>::from_matrix(bad); }), "");
}

TEST_F(Pga3d, MotorBetweenFrames) {
  for (int n = 0; n < 10; ++n) {
    const auto frame = [&] {
      const V x = unit(vec());
      const V y = unit(cross(x, vec()));
      return Frame<>{vec(), {x, y, cross(x, y)}};
    };
    const Frame<> from = frame();
    const Frame<> to = frame();
    const Motor<> m = Motor<>::between(from, to);
    expect_near(m(Point<>(from.origin)).coordinates(), to.origin, 1e-11);
    for (std::size_t k = 0; k < 3; ++k)
      expect_near(m(Direction<>(from.axes[k])).coordinates(), to.axes[k], 1e-11);
  }
}

TEST_F(Pga3d, InterpolationIsAScrewMotion) {
  const Motor<> a = motor();
  const Motor<> b = motor();
  EXPECT_TRUE(near(interpolate(a, b, 0.0), a, 1e-12));
  const Motor<> end = interpolate(a, b, 1.0);
  EXPECT_TRUE(near(end * (scalar_product(~end, b) < 0 ? -1 : 1), b, 1e-12));
  // Equal steps are equal motions.
  const Motor<> step = interpolate(a, b, 0.25) * ~a;
  EXPECT_TRUE(near(step * interpolate(a, b, 0.25), interpolate(a, b, 0.5), 1e-12));
  const Motor<> quarter = interpolate(Motor<>(), Motor<>::rotation({0, 0, 1}, 1.0), 0.5);
  EXPECT_TRUE(near(quarter, Motor<>::rotation({0, 0, 1}, 0.5), 1e-15));
}

template <class Object, class Make>
void check_array(const Motor<>& m, Make make) {
  std::vector<Object> in;
  for (int i = 0; i < 37; ++i) in.push_back(make());
  std::vector<Object> out(in.size());
  m.apply(std::span<const Object>(in), std::span<Object>(out));
  for (std::size_t i = 0; i < in.size(); ++i) EXPECT_TRUE(near(out[i], m(in[i]), 1e-12));
}

TEST_F(Pga3d, WholeArraysMoveLikeSingleObjects) {
  const Motor<> m = motor();
  check_array<Point<>>(m, [&] { return point(); });
  check_array<Direction<>>(m, [&] { return Direction<>(vec()); });
  check_array<Line<>>(m, [&] { return line(); });
  check_array<Plane<>>(m, [&] { return plane(); });
  std::vector<V> coordinates;
  for (int i = 0; i < 37; ++i) coordinates.push_back(vec());
  std::vector<V> moved = coordinates;
  m.apply(std::span<const V>(moved), std::span<V>(moved));
  for (std::size_t i = 0; i < moved.size(); ++i)
    expect_near(moved[i], m(Point<>(coordinates[i])).coordinates());
  std::vector<V> small(3);
  EXPECT_NE(error_of([&] { m.apply(std::span<const V>(moved), std::span<V>(small)); }).find("37 objects"),
            std::string::npos);
}

TEST_F(Pga3d, FloatWorksToo) {
  const Motor<float> m = Motor<float>::screw(Line<float>({1, 0, 0}, Direction<float>(0, 0, 1)), 1.0f, 0.5f);
  const auto p = m(Point<float>(2, 0, 0));
  EXPECT_NEAR(p.x(), 1 + std::cos(1.0), 1e-6);
  EXPECT_NEAR(p.y(), std::sin(1.0), 1e-6);
  EXPECT_NEAR(p.z(), 0.5, 1e-6);
}

// What the released layers compute, in closed form: see the conventions in the header.
TEST_F(Pga3d, ActionOnPointsInClosedForm) {
  for (int n = 0; n < 20; ++n) {
    EvenMultivector<kPga3d> a;
    for (std::size_t i = 0; i < 8; ++i) a[i] = random.number();  // not normalised on purpose
    const double q0 = a[0];
    const V u = {a[1], a[2], a[3]};
    const V v = {-a[6], a[5], -a[4]};
    const double p = a[7];
    const V x = vec();
    const double delta = random.number();
    const V turned = (q0 * q0 - dot(v, v)) * x + 2 * dot(v, x) * v + 2 * q0 * cross(v, x);
    const V shift = 2.0 * ((-q0) * u + cross(u, v) + p * v);
    const auto y = a * Multivector<kPga3d, kPointBlades>({-x[2], x[1], -x[0], delta}) * ~a;
    expect_near({-y.get<"e023">(), y.get<"e013">(), -y.get<"e012">()}, turned + delta * shift);
    EXPECT_NEAR(y.get<"e123">(), (q0 * q0 + dot(v, v)) * delta, 1e-12);
  }
}

TEST_F(Pga3d, ObjectsAtInfinityCannotBeNormalised) {
  EXPECT_NE(error_of([] { (void)Plane<>(0, 0, 0, 1).normalized(); }), "");
  EXPECT_NE(
      error_of([] { (void)Point<>(Point<>::Base(Direction<>(1, 2, 3))).normalized(); }).find("infinity"),
      std::string::npos);
  EXPECT_NE(error_of([] { (void)Motor<>::rotation({0, 0, 0}, 1.0); }).find("axis"), std::string::npos);
}

// Functions of a versor return the same kind of versor; otherwise these lines would not compile.
TEST_F(Pga3d, FunctionsKeepTheKindOfVersor) {
  const Motor<> m = Motor<>::screw(Line<>(Point<>(1, 2, 0), Direction<>(0.5, -1, 2)), 0.7, 0.5);
  const Motor<> same = exp(log(m)), half = sqrt(m), back = inverse(m);
  Motor<> one = m;
  one *= back;
  const Motor<> whole = half * half;
  const Motor<> third = exp(log(m) / 3.0);
  const Motor<> thirds = third * third * third;
  for (std::size_t i = 0; i < m.kSize; ++i) {
    EXPECT_NEAR(same[i], m[i], 1e-14);
    EXPECT_NEAR(whole[i], m[i], 1e-14);
    EXPECT_NEAR(thirds[i], m[i], 1e-14);
    EXPECT_NEAR(one[i], Motor<>()[i], 1e-14);
    EXPECT_NEAR(m.inverse()[i], (~m)[i], 1e-14);
  }
  const Rotor<> r({1, 2, -2}, 1.1);
  const Rotor<> r_same = exp(log(r)), r_half = sqrt(r), r_back = r.inverse() * r, r_whole = r_half * r_half;
  for (std::size_t i = 0; i < r.kSize; ++i) {
    EXPECT_NEAR(r_same[i], r[i], 1e-15);
    EXPECT_NEAR(r_whole[i], r[i], 1e-15);
    EXPECT_NEAR(r_back[i], Rotor<>()[i], 1e-15);
  }
  const Translator<> t({1, 2, 3});
  const Translator<> t_twice = exp(log(t) * 2.0), t_back = t * ~t;
  EXPECT_NEAR(t_twice.displacement()[2], 6, 1e-15);
  EXPECT_NEAR(t_back.displacement()[0], 0, 1e-15);
}

TEST_F(Pga3d, ProductsOfDifferentVersorsAreMotors) {
  const Rotor<> r({0, 0, 1}, 0.4);
  const Translator<> t({1, 2, 3});
  const Motor<> m = t * r;
  const Point<> p(0.5, -1, 2);
  const auto near = [](const Point<>& a, const Point<>& b) { return distance(a, b) < 1e-14; };
  EXPECT_TRUE(near(m(p), Motor<>(t)(Motor<>(r)(p))));
  EXPECT_TRUE(near((r * t)(p), Motor<>(r)(Motor<>(t)(p))));
  EXPECT_TRUE(near((r * m)(p), Motor<>(r)(m(p))));
  EXPECT_TRUE(near((m * r)(p), m(Motor<>(r)(p))));
  EXPECT_TRUE(near((t * m)(p), Motor<>(t)(m(p))));
  EXPECT_TRUE(near((m * t)(p), m(Motor<>(t)(p))));
}

TEST_F(Pga3d, AMotorHasAQuaternionAnAxisAnAngleAndADisplacement) {
  const Motor<> m = Motor<>::translation({4, 5, 6}) * Motor<>::rotation({1, 2, 2}, 0.6);
  const auto q = m.quaternion();
  EXPECT_NEAR(q[0], std::cos(0.3), 1e-15);
  EXPECT_NEAR(q[1], std::sin(0.3) / 3, 1e-15);
  EXPECT_NEAR(q[2], std::sin(0.3) * 2 / 3, 1e-15);
  EXPECT_NEAR(q[3], std::sin(0.3) * 2 / 3, 1e-15);
  const auto d = m.displacement();
  EXPECT_NEAR(d[0], 4, 1e-14);
  EXPECT_NEAR(d[1], 5, 1e-14);
  EXPECT_NEAR(d[2], 6, 1e-14);
  const AxisAngle<> turn = m.axis_angle();
  EXPECT_NEAR(turn.angle, 0.6, 1e-15);
  EXPECT_NEAR(turn.axis[0], 1.0 / 3, 1e-15);
  const AxisAngle<> other = Motor<>(-m).axis_angle();
  EXPECT_NEAR(other.angle, 0.6, 1e-15);
  EXPECT_EQ(Rotor<>().axis_angle().angle, 0);
  const Motor<> again = Motor<>::from_quaternion(q, d);
  for (std::size_t i = 0; i < m.kSize; ++i) EXPECT_NEAR(again[i], m[i], 1e-14);
  const Rotor<> twice = Rotor<>::from_quaternion({2 * q[0], 2 * q[1], 2 * q[2], 2 * q[3]});
  EXPECT_NEAR(twice.axis_angle().angle, 0.6, 1e-15);
  EXPECT_THROW(Motor<>::from_quaternion({0, 0, 0, 0}), Error);
  std::ostringstream text;
  text << Translator<>({2, 0, 0});
  EXPECT_EQ(text.str(), "1 - e01");
}

}  // namespace pga3d_test
}  // namespace gcan::pga3d
