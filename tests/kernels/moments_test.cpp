#include "gcan/kernels/moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/runner/every_target.h"

namespace gcan::kernels {
namespace moments_test {

std::vector<double> random_numbers(std::size_t count) {
  static std::mt19937 engine(1);
  std::normal_distribution<double> normal;
  std::vector<double> numbers(count);
  for (double& x : numbers) x = normal(engine);
  return numbers;
}

// Both functions against explicit sums, on rows longer than a piece.
void expect_sums_and_maps() {
  const std::size_t rows = 3, n = 4, space = 531;
  const MatrixRows shape{n, space};
  const auto a = random_numbers(rows * n * space), b = random_numbers(rows * n * space);
  const auto m = random_numbers(rows * n * n), k = random_numbers(rows * n * n);
  const auto origin = random_numbers(rows * n), shift = random_numbers(rows * n);
  std::vector<double> sums(rows * n), products(rows * n * n), y(a.size()), z(a.size());
  row_moments(shape, 0, rows, a.data(), b.data(), origin.data(), sums.data(), products.data());
  row_maps<double>(shape, 0, rows, m.data(), a.data(), nullptr, nullptr, origin.data(), shift.data(),
                   y.data());
  row_maps(shape, 0, rows, m.data(), a.data(), k.data(), b.data(), origin.data(), shift.data(), z.data());
  for (std::size_t row = 0; row < rows; ++row) {
    const auto at = [&](std::size_t i, std::size_t s) { return (row * n + i) * space + s; };
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t s = 0; s < space; ++s) sum += a[at(i, s)];
      EXPECT_NEAR(sums[row * n + i], sum, 1e-10);
      for (std::size_t j = 0; j < n; ++j) {
        double product = 0;
        for (std::size_t s = 0; s < space; ++s) product += a[at(i, s)] * (b[at(j, s)] - origin[row * n + j]);
        EXPECT_NEAR(products[(row * n + i) * n + j], product, 1e-10);
      }
      for (const std::size_t s : {std::size_t{0}, std::size_t{300}, space - 1}) {
        double one = shift[row * n + i], two = one;
        for (std::size_t j = 0; j < n; ++j) {
          const double o = origin[row * n + j];
          one += m[(row * n + i) * n + j] * (a[at(j, s)] - o);
          two += m[(row * n + i) * n + j] * a[at(j, s)] + k[(row * n + i) * n + j] * (b[at(j, s)] - o);
        }
        EXPECT_NEAR(y[at(i, s)], one, 1e-12);
        EXPECT_NEAR(z[at(i, s)], two, 1e-12);
      }
    }
  }
}

double phi(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }
double gelu_slope(double z) { return phi(z) + z * std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0)); }

// Maps followed by gelu against double, from large negative to large positive values, for each number of
// blades.
void expect_gelu() {
  const std::size_t rows = 2, space = 1100;
  for (const std::size_t n : {1, 2, 4, 8}) {
    const MatrixRows shape{n, space};
    const auto floats = [](std::size_t count, double size) {
      std::vector<float> numbers;
      for (const double x : random_numbers(count)) numbers.push_back(static_cast<float>(size * x));
      return numbers;
    };
    const auto m = floats(rows * n * n, 1), a = floats(rows * n * space, 3), origin = floats(rows * n, 1),
               shift = floats(rows * n, 1), dy = floats(a.size(), 1);
    std::vector<float> y(a.size()), g(a.size());
    std::vector<double> sums(rows * n), products(rows * n * n), expected(a.size());
    row_gelu_maps(shape, 0, rows, m.data(), a.data(), origin.data(), shift.data(), y.data());
    row_gelu_gradients(shape, 0, rows, m.data(), a.data(), origin.data(), shift.data(), dy.data(), g.data(),
                       sums.data(), products.data());
    for (std::size_t row = 0; row < rows; ++row) {
      const auto at = [&](std::size_t i, std::size_t s) { return (row * n + i) * space + s; };
      const auto centred = [&](std::size_t j, std::size_t s) {
        return static_cast<double>(a[at(j, s)]) - static_cast<double>(origin[row * n + j]);
      };
      for (std::size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (std::size_t s = 0; s < space; ++s) {
          double z = shift[row * n + i], size = 1 + std::abs(z);
          for (std::size_t j = 0; j < n; ++j) {
            const double term = static_cast<double>(m[(row * n + i) * n + j]) * centred(j, s);
            z += term;
            size += std::abs(term);
          }
          const double slope = gelu_slope(z) * static_cast<double>(dy[at(i, s)]);
          EXPECT_NEAR(y[at(i, s)], z * phi(z), 3e-7 * size);  // the sum's rounding and gelu's
          EXPECT_NEAR(g[at(i, s)], slope, 3e-7 * size * (1 + std::abs(static_cast<double>(dy[at(i, s)]))));
          sum += static_cast<double>(g[at(i, s)]);
        }
        EXPECT_NEAR(sums[row * n + i], sum, 1e-3);
        for (std::size_t j = 0; j < n; ++j) {
          double product = 0;
          for (std::size_t s = 0; s < space; ++s) product += static_cast<double>(g[at(i, s)]) * centred(j, s);
          EXPECT_NEAR(products[(row * n + i) * n + j], product, 1e-2);
        }
      }
    }
  }
}

TEST(Moments, GeluFollowsTheMap) { test::on_every_target(expect_gelu); }

TEST(Moments, AreTheSumsAndMapsThatTheyName) { test::on_every_target(expect_sums_and_maps); }

}  // namespace moments_test
}  // namespace gcan::kernels
