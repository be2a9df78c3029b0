#include "gcan/report/pose.h"

#include <cmath>
#include <cstddef>
#include <string>

#include "gcan/base/error.h"

namespace gcan::report {
namespace {

using Matrix4 = std::array<std::array<double, 4>, 4>;

Point3 mean(std::span<const Point3> points) {
  Point3 sum{};
  for (const Point3& point : points)
    for (std::size_t i = 0; i < 3; ++i) sum[i] += point[i] / static_cast<double>(points.size());
  return sum;
}

// The eigenvector of the largest eigenvalue, by repeated squaring to its projection.
std::array<double, 4> leading_eigenvector(Matrix4 m) {
  double shift = 0;  // makes all eigenvalues positive
  for (const auto& row : m)
    for (const double value : row) shift += std::abs(value);
  for (std::size_t i = 0; i < 4; ++i) m[i][i] += shift + 1e-30;
  constexpr int kSquarings = 50;  // resolves eigenvalues with a relative difference of 1e-13
  for (int n = 0; n < kSquarings; ++n) {
    Matrix4 square{};
    double trace = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 4; ++j)
        for (std::size_t k = 0; k < 4; ++k) square[i][j] += m[i][k] * m[k][j];
      trace += square[i][i];
    }
    for (auto& row : square)
      for (double& value : row) value /= trace;
    m = square;
  }
  std::size_t best = 0;  // the column of the projection with the least cancellation
  for (std::size_t i = 1; i < 4; ++i)
    if (m[i][i] > m[best][best]) best = i;
  std::array<double, 4> q{};
  for (std::size_t i = 0; i < 4; ++i) q[i] = m[i][best] / std::sqrt(m[best][best]);
  return q;
}

}  // namespace

Point3 turned(const Rotation3& r, const Point3& p) {
  return {r[0][0] * p[0] + r[0][1] * p[1] + r[0][2] * p[2], r[1][0] * p[0] + r[1][1] * p[1] + r[1][2] * p[2],
          r[2][0] * p[0] + r[2][1] * p[1] + r[2][2] * p[2]};
}

Rotation3 fitted_rotation(std::span<const Point3> rest, std::span<const Point3> points,
                          const Rotation3& previous) {
  if (rest.size() != points.size() || rest.empty())
    throw Error("pose: " + std::to_string(points.size()) + " points cannot be matched to " +
                std::to_string(rest.size()));
  // The rotation with the largest sum of y.(R x); a small weight of the previous rotation resolves
  // ambiguities.
  constexpr double kMemory = 1e-6;
  Rotation3 b{};
  const Point3 from = mean(rest), to = mean(points);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      b[i][j] = kMemory * previous[i][j];
      for (std::size_t p = 0; p < rest.size(); ++p)
        b[i][j] += (points[p][i] - to[i]) * (rest[p][j] - from[j]);
    }
  const double trace = b[0][0] + b[1][1] + b[2][2];
  Matrix4 k{};
  const Point3 skew{b[2][1] - b[1][2], b[0][2] - b[2][0], b[1][0] - b[0][1]};
  k[0][0] = trace;
  for (std::size_t i = 0; i < 3; ++i) {
    k[0][i + 1] = k[i + 1][0] = skew[i];
    for (std::size_t j = 0; j < 3; ++j) k[i + 1][j + 1] = b[i][j] + b[j][i] - (i == j ? trace : 0);
  }
  const auto [w, x, y, z] = leading_eigenvector(k);
  return {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
           {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
           {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

}  // namespace gcan::report
