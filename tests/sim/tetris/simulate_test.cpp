#include "gcan/sim/tetris/simulate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "gcan/base/error.h"
#include "tests/sim/tetris/motions.h"

namespace gcan::sim::tetris {
namespace tetris_simulate_test {

double distance(const Motions& m, std::size_t k, std::size_t step, std::size_t a, std::size_t b) {
  return length(m.at(k, step, a) - m.at(k, step, b));
}

// An edge of an object's frame, turned as the object is.
Vector3 edge(const Motions& m, std::size_t k, std::size_t step, std::size_t object, std::size_t point) {
  return m.at(k, step, 4 * object + point) - m.at(k, step, 4 * object);
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  double ab = 0, aa = 0, bb = 0, sa = 0, sb = 0;
  const auto n = static_cast<double>(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += a[i] * b[i], aa += a[i] * a[i], bb += b[i] * b[i], sa += a[i], sb += b[i];
  }
  return (ab - sa * sb / n) / std::sqrt((aa - sa * sa / n) * (bb - sb * sb / n));
}

// Angle of an object's turn per step, from the trace of the rotation in a frame made of two edges.
double angle_per_step(const Motions& m, std::size_t k, std::size_t object) {
  const Vector3 a0 = edge(m, k, 0, object, 1), a1 = edge(m, k, 1, object, 1);
  const Vector3 b0 = edge(m, k, 0, object, 2), b1 = edge(m, k, 1, object, 2);
  const Vector3 c0 = cross(a0, b0), c1 = cross(a1, b1);
  const Vector3 d0 = cross(c0, a0), d1 = cross(c1, a1);
  const double trace = dot(a0, a1) / (length(a0) * length(a1)) + dot(c0, c1) / (length(c0) * length(c1)) +
                       dot(d0, d1) / (length(d0) * length(d1));
  return std::acos(std::clamp((trace - 1) / 2, -1.0, 1.0));
}

constexpr std::size_t kSquare = 2;  // an object whose points 1 and 2 span a plane with point 0

TEST(TetrisSimulate, ObjectsAreTheEightShapes) {
  const Motions m(Options::literal(), 1);
  for (std::size_t point = 0; point < kPoints; ++point)
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_FLOAT_EQ(static_cast<float>(m.at(0, 0, point)[i]),
                      static_cast<float>(shapes()[point / 4].points[point % 4][i]));
  EXPECT_STREQ(shapes()[3].name, "line");
}

TEST(TetrisSimulate, BodiesAreRigid) {
  for (const double sigma : {0.0, 0.01, 0.3}) {
    Options options;
    options.deformation_sigma = sigma;
    const Motions m(options, 50);
    double largest_deformation = 0;
    for (std::size_t k = 0; k < 50; ++k)
      for (std::size_t object = 0; object < kObjects; ++object)
        for (std::size_t p = 1; p < 4; ++p) {
          const std::size_t a = 4 * object, b = a + p;
          for (std::size_t step = 1; step < 8; ++step)
            ASSERT_NEAR(distance(m, k, step, a, b), distance(m, k, 0, a, b), 1e-5);
          const auto& shape = shapes()[object].points;
          largest_deformation =
              std::max(largest_deformation, std::abs(distance(m, k, 0, a, b) - length(shape[p] - shape[0])));
        }
    if (sigma == 0) {
      EXPECT_LT(largest_deformation, 1e-5);
    } else {
      EXPECT_GT(largest_deformation, sigma);
      EXPECT_LT(largest_deformation, 8 * sigma);
    }
  }
}

TEST(TetrisSimulate, NoiseIsRedrawnEachStep) {
  Options options;
  options.deformation = Deformation::per_step;
  options.deformation_sigma = 0.003;
  const Motions m(options, 200);
  double squares = 0;
  for (std::size_t k = 0; k < 200; ++k)
    squares += std::pow(distance(m, k, 5, 8, 9) - distance(m, k, 4, 8, 9), 2) / 200;
  // Four displacements along the edge, each of variance sigma^2.
  EXPECT_NEAR(std::sqrt(squares), 2 * 0.003, 0.0009);
}

TEST(TetrisSimulate, ObjectsMoveByTheSameRotationAndOffset) {
  Options options;
  options.steps = 12;
  const Motions m(options, 40);
  for (std::size_t k = 0; k < 40; ++k)
    for (std::size_t object = 0; object < kObjects; ++object)
      for (std::size_t step = 2; step < 12; ++step) {
        // Gram matrix between successive frames stays, whatever the rotation.
        for (const std::size_t p : {1, 3})
          ASSERT_NEAR(dot(edge(m, k, step, object, p), edge(m, k, step - 1, object, 2)),
                      dot(edge(m, k, 1, object, p), edge(m, k, 0, object, 2)), 2e-5);
      }
  // Without displacements the centre is the turning point and drifts evenly.
  options.deformation_sigma = 0;
  const Motions rigid(options, 40);
  for (std::size_t step = 1; step < 12; ++step)
    for (std::size_t i = 0; i < 3; ++i)
      ASSERT_NEAR(rigid.centre(7, step, 5)[i], static_cast<double>(step) * rigid.centre(7, 1, 5)[i], 1e-5);
}

TEST(TetrisSimulate, VelocitiesAreDifferencesOfPositions) {
  Options options;
  options.deformation = Deformation::per_step;
  options.steps = 9;
  const Motions longer(options, 20);
  options.steps = 8;
  const Motions m(options, 20);
  for (std::size_t k = 0; k < 20; ++k)
    for (std::size_t step = 0; step < 8; ++step)
      for (std::size_t point = 0; point < kPoints; ++point)
        for (std::size_t i = 0; i < 3; ++i)
          ASSERT_NEAR(m.at(k, step, point, true)[i],
                      longer.at(k, step + 1, point)[i] - longer.at(k, step, point)[i], 1e-6);
  std::vector<float> alone(m.job.size());
  simulate(m.job, alone);
  EXPECT_EQ(alone, m.positions);
}

TEST(TetrisSimulate, AnglesAreUniformUpToTheLargest) {
  Options options;
  options.deformation_sigma = 0;
  for (const double largest : {0.05 * 2 * std::numbers::pi, 3.0}) {
    options.max_angle = largest;
    const Motions m(options, 4000);
    double most = 0, mean = 0, squares = 0;
    for (std::size_t k = 0; k < 4000; ++k) {
      const double angle = angle_per_step(m, k, kSquare);
      most = std::max(most, angle);
      mean += angle / 4000, squares += angle * angle / 4000;
    }
    EXPECT_LE(most, largest + 1e-4);
    EXPECT_GT(most, 0.995 * largest);
    EXPECT_NEAR(mean, largest / 2, 0.025 * largest);
    EXPECT_NEAR(squares, largest * largest / 3, 0.025 * largest * largest);
  }
}

TEST(TetrisSimulate, OffsetsFillTheCubeOrTheBall) {
  Options options;
  options.deformation_sigma = 0;
  for (const auto translation : {Translation::cube, Translation::ball}) {
    options.translation = translation;
    const Motions m(options, 4000);
    double most = 0, mean_square = 0, most_length = 0;
    for (std::size_t k = 0; k < 4000; ++k) {
      const Vector3 offset = m.centre(k, 1, 1);
      most_length = std::max(most_length, length(offset));
      for (const double x : offset) most = std::max(most, std::abs(x)), mean_square += x * x / 12000;
    }
    const bool cube = translation == Translation::cube;
    EXPECT_LE(cube ? most : most_length, 0.5 + 1e-5);
    EXPECT_GT(cube ? most : most_length, 0.499);
    // Of a component: uniform in the cube 1/12; in the ball radius^2 / 5.
    EXPECT_NEAR(mean_square, cube ? 1.0 / 12 : 0.25 / 5, 0.003);
  }
}

TEST(TetrisSimulate, FirstOrientationsAreUniform) {
  Options options;
  options.deformation_sigma = 0;
  const std::size_t n = 20000;
  const Motions m(options, n);
  // The line's direction is uniform on the sphere: each component uniform on [-1, 1]; and the trace of a
  // uniform rotation has mean 0 and mean square 1.
  std::array<double, 3> mean{}, square{}, fourth{};
  double trace = 0, trace2 = 0;
  for (std::size_t k = 0; k < n; ++k) {
    Vector3 d = m.at(k, 0, 13) - m.at(k, 0, 12);
    for (std::size_t i = 0; i < 3; ++i)
      mean[i] += d[i] / n, square[i] += d[i] * d[i] / n, fourth[i] += std::pow(d[i], 4) / n;
    const Vector3 x = edge(m, k, 0, kSquare, 1), y = edge(m, k, 0, kSquare, 2);
    const double t = x[0] + y[1] + cross(x, y)[2];
    trace += t / n, trace2 += t * t / n;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(mean[i], 0, 0.02);
    EXPECT_NEAR(square[i], 1.0 / 3, 0.011);
    EXPECT_NEAR(fourth[i], 1.0 / 5, 0.011);
  }
  EXPECT_NEAR(trace, 0, 0.035);
  EXPECT_NEAR(trace2, 1, 0.05);
}

TEST(TetrisSimulate, OneOrientationForTheSceneRotatesAllEqually) {
  Options options;
  options.deformation_sigma = 0;
  for (const auto orientation : {Orientation::scene, Orientation::haar}) {
    options.orientation = orientation;
    const Motions m(options, 100);
    double worst = 0;
    for (std::size_t k = 0; k < 100; ++k)
      // The line and the first edge of the T point the same way before they are turned.
      worst = std::max(worst, length(edge(m, k, 0, 3, 1) - edge(m, k, 0, 6, 1)));
    if (orientation == Orientation::scene) {
      EXPECT_LT(worst, 1e-5);
    } else {
      EXPECT_GT(worst, 1);
    }
  }
}

struct Correlations {
  double offset, angle, axis;
};

// Between two objects of the same scene, over many scenes.
Correlations correlations(double rho) {
  Options options;
  options.deformation_sigma = 0;
  options.orientation = Orientation::none;
  options.rho = rho;
  const Motions m(options, 4000);
  std::vector<double> a, b, c, d, e, f;
  for (std::size_t k = 0; k < 4000; ++k) {
    a.push_back(m.centre(k, 1, kSquare)[0]), b.push_back(m.centre(k, 1, 7)[0]);
    c.push_back(angle_per_step(m, k, kSquare)), d.push_back(angle_per_step(m, k, 7));
    // Where the first edge (both e1) goes sideways is the axis times the sine of the angle.
    e.push_back(edge(m, k, 1, kSquare, 1)[1]), f.push_back(edge(m, k, 1, 7, 1)[1]);
  }
  return {correlation(a, b), correlation(c, d), correlation(e, f)};
}

TEST(TetrisSimulate, RhoCouplesTheObjects) {
  const Correlations none = correlations(0), half = correlations(0.5), full = correlations(1);
  for (const double c : {none.offset, none.angle, none.axis}) EXPECT_NEAR(c, 0, 0.08);
  for (const double c : {full.offset, full.angle, full.axis}) EXPECT_NEAR(c, 1, 1e-3);
  // Of uniform numbers from normal ones of correlation rho: 6/pi asin(rho/2).
  const double expected = 6 / std::numbers::pi * std::asin(0.25);
  EXPECT_NEAR(half.offset, expected, 0.06);
  EXPECT_NEAR(half.angle, expected, 0.06);
  EXPECT_GT(half.axis, 0.2);
  EXPECT_LT(half.axis, 0.8);
}

TEST(TetrisSimulate, ATrajectoryDependsOnlyOnSeedAndNumber) {
  const Motions all(Options::paper(), 300);
  const Motions parallel(Options::paper(), 300, 0, 3), later(Options::paper(), 100, 200);
  EXPECT_EQ(all.positions, parallel.positions);
  EXPECT_EQ(all.velocities, parallel.velocities);
  const std::size_t one = all.job.size() / 300;
  EXPECT_TRUE(std::equal(later.positions.begin(), later.positions.end(),
                         all.positions.begin() + static_cast<std::ptrdiff_t>(200 * one)));
  Options other;
  other.seed = 1;
  EXPECT_NE(Motions(other, 1).positions, Motions(Options::paper(), 1).positions);
  EXPECT_NE(Motions(Options::paper(), 1, 1).positions, Motions(Options::paper(), 1).positions);
}

TEST(TetrisSimulate, SupportsNoTrajectories) { EXPECT_TRUE(Motions(Options::paper(), 0).positions.empty()); }

TEST(TetrisSimulate, RejectsSizeMismatches) {
  Job job{.options = {}, .trajectories = 2};
  std::vector<float> right(job.size()), wrong(job.size() - 1);
  EXPECT_THROW(simulate(job, wrong), Error);
  EXPECT_THROW(simulate(job, right, wrong), Error);
  job.threads = 0;
  EXPECT_THROW(simulate(job, right), Error);
  job.threads = 1, job.options.rho = 2;
  EXPECT_THROW(simulate(job, right), Error);
}

}  // namespace tetris_simulate_test
}  // namespace gcan::sim::tetris
