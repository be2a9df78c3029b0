#include "gcan/kernels/moments.h"

#include <gtest/gtest.h>

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

// Both functions against sums written out, on rows longer than a piece.
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

TEST(Moments, AreTheSumsAndMapsThatTheyName) { test::on_every_target(expect_sums_and_maps); }

}  // namespace moments_test
}  // namespace gcan::kernels
