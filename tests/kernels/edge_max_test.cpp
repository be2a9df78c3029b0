#include "gcan/kernels/edge_max.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/runner/every_target.h"

namespace gcan::kernels {
namespace edge_max_test {

constexpr float kSlope = 0.25F;

// Sizes that are not multiples of a vector, with more hidden numbers than a block of vectors and more points
// than one step of the gradient takes.
struct Example {
  std::size_t points = 35, neighbours = 5, hidden = 149, outputs = 21;
  std::vector<float> from, ends, weight;
  std::vector<std::int64_t> starts;

  Example() {
    std::mt19937 engine(1);
    std::normal_distribution<float> normal;
    const auto random = [&](std::size_t count) {
      std::vector<float> numbers(count);
      for (float& x : numbers) x = normal(engine);
      return numbers;
    };
    from = random(points * hidden), ends = random(points * hidden), weight = random(outputs * hidden);
    for (std::size_t i = 0; i < points * neighbours; ++i) {
      starts.push_back(static_cast<std::int64_t>(engine() % points));
    }
  }

  [[nodiscard]] EdgeSet edges() const {
    return {from.data(), ends.data(), starts.data(), neighbours, hidden, outputs, kSlope};
  }
  [[nodiscard]] std::size_t start(std::size_t point, std::size_t k) const {
    return static_cast<std::size_t>(starts[point * neighbours + k]);
  }
  // from + ends, before the rectifier.
  [[nodiscard]] double sum(std::size_t point, std::size_t k, std::size_t h) const {
    return static_cast<double>(from[start(point, k) * hidden + h]) + ends[point * hidden + h];
  }
  [[nodiscard]] double z(std::size_t point, std::size_t k, std::size_t h) const {
    const double x = sum(point, k, h);
    return x > 0 ? x : kSlope * x;
  }
};

TEST(EdgeMax, HiddenNumbersAreRectifiedSums) {
  const Example example;
  test::on_every_target([&] {
    const std::size_t first = 3, last = 20;
    std::vector<float> z((last - first) * example.neighbours * example.hidden);
    edge_hidden(example.edges(), first, last, z.data());
    const float* value = z.data();
    for (std::size_t point = first; point < last; ++point)
      for (std::size_t k = 0; k < example.neighbours; ++k)
        for (std::size_t h = 0; h < example.hidden; ++h, ++value)
          ASSERT_NEAR(*value, example.z(point, k, h), 1e-6) << point << ' ' << k << ' ' << h;
  });
}

TEST(EdgeMax, MaximaAreTheFirstLargestOrTheFirstNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr std::size_t kPoints = 2, kNeighbours = 3, kOutputs = 19;
  EdgeSet edges;
  edges.neighbours = kNeighbours, edges.outputs = kOutputs;
  // Of each output in turn: a single largest number, equal ones, one NaN, two NaNs.
  const std::vector<std::vector<float>> columns{{1, 3, 2}, {4, 4, 1}, {5, nan, 9}, {nan, 7, nan}};
  const std::vector<std::int32_t> expected{1, 0, 1, 0};
  std::vector<float> lines(kPoints * kNeighbours * kOutputs);
  for (std::size_t point = 0; point < kPoints; ++point)
    for (std::size_t k = 0; k < kNeighbours; ++k)
      for (std::size_t c = 0; c < kOutputs; ++c)
        lines[(point * kNeighbours + k) * kOutputs + c] = columns[(c + point) % columns.size()][k];
  test::on_every_target([&] {
    std::vector<float> largest(kPoints * kOutputs);
    std::vector<std::int32_t> which(largest.size());
    edge_maximum(edges, kPoints, lines.data(), largest.data(), which.data());
    for (std::size_t i = 0; i < largest.size(); ++i) {
      const std::size_t column = (i % kOutputs + i / kOutputs) % columns.size();
      ASSERT_EQ(which[i], expected[column]) << i;
      const float value = columns[column][static_cast<std::size_t>(which[i])];
      ASSERT_TRUE(largest[i] == value || (std::isnan(largest[i]) && std::isnan(value))) << i;
    }
  });
}

// The derivatives of sum over (point, c) of maxima[point, c] y[point, c], by definition.
TEST(EdgeMax, GradientsAreAddedForTheMaximalEdgesAlone) {
  const Example e;
  std::mt19937 engine(2);
  std::normal_distribution<float> normal;
  std::vector<float> maxima(e.points * e.outputs);
  std::vector<std::int32_t> which(maxima.size());
  for (float& x : maxima) x = normal(engine);
  for (std::int32_t& k : which)
    k = static_cast<std::int32_t>(engine() % (e.neighbours - 1));  // the last never
  const std::size_t first = 2, last = 34;
  std::vector<double> from(e.from.size(), 1), ends(e.ends.size(), 1), weights(e.weight.size(), 1);
  for (std::size_t point = first; point < last; ++point)
    for (std::size_t c = 0; c < e.outputs; ++c) {
      const auto k = static_cast<std::size_t>(which[point * e.outputs + c]);
      const double of_maximum = maxima[point * e.outputs + c];
      for (std::size_t h = 0; h < e.hidden; ++h) {
        const double slope = e.sum(point, k, h) > 0 ? 1 : kSlope;
        const double of_sum = of_maximum * e.weight[c * e.hidden + h] * slope;
        from[e.start(point, k) * e.hidden + h] += of_sum;
        ends[point * e.hidden + h] += of_sum;
        weights[c * e.hidden + h] += of_maximum * e.z(point, k, h);
      }
    }
  test::on_every_target([&] {
    std::vector<float> f(from.size(), 1), s(ends.size(), 1), w(weights.size(), 1);
    edge_max_gradient(e.edges(), {maxima.data(), which.data(), e.weight.data(), f.data(), s.data(), w.data()},
                      first, last);
    for (std::size_t i = 0; i < f.size(); ++i) ASSERT_NEAR(f[i], from[i], 1e-4) << "from " << i;
    for (std::size_t i = 0; i < s.size(); ++i) ASSERT_NEAR(s[i], ends[i], 1e-4) << "ends " << i;
    for (std::size_t i = 0; i < w.size(); ++i) ASSERT_NEAR(w[i], weights[i], 1e-4) << "weights " << i;
  });
}

}  // namespace edge_max_test
}  // namespace gcan::kernels
