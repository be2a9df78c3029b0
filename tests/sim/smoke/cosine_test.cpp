#include "gcan/sim/smoke/cosine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "tests/runner/every_target.h"
#include "tests/sim/smoke/plain.h"

namespace gcan::sim::smoke {
namespace smoke_cosine_test {

template <class Real>
std::vector<Real> random_matrix(int rows, int columns) {
  std::mt19937 generator(7);
  std::vector<Real> matrix(static_cast<std::size_t>(rows * columns));
  for (auto& x : matrix) x = static_cast<Real>(generator()) / Real(4294967296.0) - Real(0.5);
  return matrix;
}

// All kinds of factors: powers of two, odd primes small and large, and columns that do not fill a block.
const std::vector<std::pair<int, int>> kShapes = {
    {2, 2},   {4, 2},  {6, 4},   {10, 6},  {16, 16}, {18, 18},  {20, 34}, {22, 22}, {26, 6},
    {30, 30}, {32, 2}, {64, 16}, {96, 20}, {98, 10}, {128, 16}, {202, 4}, {250, 2}, {256, 18}};

template <class Real>
class SmokeCosine : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(SmokeCosine, Reals);

TYPED_TEST(SmokeCosine, ForwardIsTheDefinition) {
  for (const auto& [n, columns] : kShapes) {
    const auto start = random_matrix<TypeParam>(n, columns);
    auto matrix = start;
    CosineTransform<TypeParam>(n).forward(matrix.data(), columns);
    double error = 0;
    for (int k = 0; k < n; ++k)
      for (int c = 0; c < columns; ++c) {
        long double sum = 0;
        for (int j = 0; j < n; ++j)
          sum += static_cast<long double>(start[static_cast<std::size_t>(j * columns + c)]) *
                 std::cos(std::numbers::pi_v<long double> * (k * (2 * j + 1) % (4 * n)) / (2 * n));
        error = std::max(
            error, std::abs(static_cast<double>(matrix[static_cast<std::size_t>(k * columns + c)] - sum)));
      }
    EXPECT_LT(error, 8 * std::numeric_limits<TypeParam>::epsilon() * std::sqrt(n)) << n << " x " << columns;
  }
}

TYPED_TEST(SmokeCosine, InverseUndoesForward) {
  for (const auto& [n, columns] : kShapes) {
    const auto start = random_matrix<TypeParam>(n, columns);
    auto matrix = start;
    CosineTransform<TypeParam> transform(n);
    transform.forward(matrix.data(), columns);
    transform.inverse(matrix.data(), columns);
    for (std::size_t i = 0; i < start.size(); ++i)
      ASSERT_NEAR(matrix[i], start[i], 8 * std::numeric_limits<TypeParam>::epsilon())
          << n << " x " << columns;
  }
}

TYPED_TEST(SmokeCosine, EveryInstructionSetGivesTheSameBits) {
  for (const int n : {16, 90, 128}) {
    std::vector<std::vector<TypeParam>> results;
    test::on_every_target([&] {
      auto matrix = random_matrix<TypeParam>(n, n);
      CosineTransform<TypeParam> transform(n);
      transform.forward(matrix.data(), n);
      results.push_back(matrix);
      transform.inverse(matrix.data(), n);
      results.back().insert(results.back().end(), matrix.begin(), matrix.end());
    });
    for (const auto& result : results) EXPECT_EQ(result, results.front());
  }
}

}  // namespace smoke_cosine_test
}  // namespace gcan::sim::smoke
