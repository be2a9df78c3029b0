#include "gcan/kernels/norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/runner/every_target.h"

namespace gcan::kernels {
namespace norm_test {

constexpr std::size_t kSamples = 2, kChannels = 4, kPerGroup = 2, kRows = kSamples * kChannels;

// A norm with arbitrary statistics, which the kernels accept.
template <class T>
struct Problem {
  Problem(std::vector<std::size_t> parts, std::size_t space, Divisor divisor) : grade_of(std::move(parts)) {
    norm.channels = kChannels;
    norm.channels_per_group = kPerGroup;
    norm.blades = grade_of.size();
    for (const std::size_t k : grade_of) norm.grades = std::max(norm.grades, k + 1);
    norm.space = space;
    norm.grade_of = grade_of;
    norm.divisor = divisor;
    norm.mean = fill(mean, kRows / kPerGroup * norm.blades);
    norm.inverse = fill(inverse, kRows / kPerGroup * norm.grades);
    norm.weight = fill(weight, kChannels * norm.grades);
    norm.bias = fill(bias, kChannels * norm.blades);
    fill(shift, mean.size());
    fill(pull, inverse.size());
    fill(x, kRows * norm.blades * space);
    fill(dy, x.size());
    // A multivector of length 0, for any divisor.
    const T* origin = divisor == Divisor::mean_centred_norm ? mean.data() : nullptr;
    for (std::size_t b = 0; b < norm.blades; ++b) x[b * space] = origin == nullptr ? T(0) : origin[b];
  }
  const T* fill(std::vector<T>& values, std::size_t count) {
    std::normal_distribution<double> normal;
    values.resize(count);
    for (T& value : values) value = static_cast<T>(normal(engine));
    return values.data();
  }

  // |u|_k at one position, u = x - mean or x.
  [[nodiscard]] double length(std::size_t row, std::size_t k, std::size_t i, bool centred) const {
    double sum = 0;
    for (std::size_t b = 0; b < norm.blades; ++b) {
      if (grade_of[b] == k) sum += std::pow(measured(row, b, i, centred), 2);
    }
    return std::sqrt(sum);
  }
  [[nodiscard]] std::size_t at(std::size_t row, std::size_t b, std::size_t i) const {
    return (row * norm.blades + b) * norm.space + i;
  }
  [[nodiscard]] double measured(std::size_t row, std::size_t b, std::size_t i, bool centred) const {
    return double(x[at(row, b, i)]) - (centred ? double(mean[row / kPerGroup * norm.blades + b]) : 0);
  }
  [[nodiscard]] double direction(std::size_t row, std::size_t b, std::size_t i, bool centred) const {
    const double size = length(row, grade_of[b], i, centred);
    return size == 0 ? 0 : measured(row, b, i, centred) / size;
  }

  std::mt19937 engine{2};
  Norm<T> norm;
  std::vector<std::size_t> grade_of;
  std::vector<T> mean, inverse, weight, bias, shift, pull, x, dy;
};

template <class Found>
void expect_near(const std::vector<Found>& found, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << i;
  }
}

// Calls visit(row, blade, position, grade, index into (groups, blades), index into (groups, grades)).
template <class T, class Visit>
void each_number(const Problem<T>& p, const Visit& visit) {
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t b = 0; b < p.norm.blades; ++b) {
      const std::size_t group = row / kPerGroup, k = p.grade_of[b];
      for (std::size_t i = 0; i < p.norm.space; ++i) {
        visit(row, b, i, k, group * p.norm.blades + b, group * p.norm.grades + k);
      }
    }
  }
}

template <class T>
void check_sums(const Problem<T>& p, double tolerance) {
  const Norm<T>& n = p.norm;
  std::vector<double> sums(kRows * n.forward_sums()), distances(kRows * n.grades);
  std::vector<double> expected_sums(sums.size()), expected_distances(distances.size());
  norm_sums(n, 0, 3, p.x.data(), sums.data());
  norm_sums(n, 3, kRows, p.x.data(), sums.data());
  norm_distances(n, 0, kRows, p.x.data(), distances.data());
  each_number(p, [&](auto row, auto b, auto i, auto, auto, auto) {
    expected_sums[row * n.forward_sums() + b] += p.measured(row, b, i, false);
    if (b > 0) return;
    for (std::size_t k = 0; k < n.grades; ++k) {
      expected_distances[row * n.grades + k] += p.length(row, k, i, true);
      if (n.divisor != Divisor::mean_norm) continue;
      expected_sums[row * n.forward_sums() + n.blades + k] += p.length(row, k, i, false);
    }
  });
  expect_near(sums, expected_sums, 20 * tolerance);
  expect_near(distances, expected_distances, 20 * tolerance);
}

template <class T>
void check_forward_and_backward(const Problem<T>& p, double tolerance) {
  const Norm<T>& n = p.norm;
  const bool centred = n.divisor == Divisor::mean_centred_norm;
  const Gate<T>* no_gate = nullptr;
  std::vector<T> y(p.x.size()), dx(p.x.size());
  std::vector<double> sums(kRows * n.backward_sums());
  std::vector<double> expected_y(y.size()), expected_dx(y.size()), expected_sums(sums.size());
  norm_forward(n, no_gate, 0, kRows, p.x.data(), y.data());
  norm_backward_sums(n, no_gate, 0, kRows, p.x.data(), p.dy.data(), sums.data(), nullptr);
  norm_backward(n, no_gate, 0, kRows, p.x.data(), p.dy.data(), p.shift.data(), p.pull.data(), dx.data());
  each_number(p, [&](auto row, auto b, auto i, auto k, auto group_blade, auto group_grade) {
    const std::size_t channel = row % kChannels, here = p.at(row, b, i);
    const double scale = double(p.weight[channel * n.grades + k]) * p.inverse[group_grade];
    const double z = p.measured(row, b, i, true);
    expected_y[here] = scale * z + p.bias[channel * n.blades + b];
    expected_dx[here] = scale * p.dy[here] + p.shift[group_blade];
    if (n.divisor != Divisor::one) expected_dx[here] += p.pull[group_grade] * p.direction(row, b, i, centred);
    double* sum = expected_sums.data() + row * n.backward_sums();
    sum[b] += p.dy[here];
    if (centred) sum[n.blades + b] += p.direction(row, b, i, true);
    sum[2 * n.blades + k] += p.dy[here] * z;
  });
  expect_near(y, expected_y, tolerance);
  expect_near(dx, expected_dx, tolerance);
  expect_near(sums, expected_sums, 20 * tolerance);
}

// With a gate: the same as the norm followed by the gate.
template <class T>
void check_gate(Problem<T> p, double tolerance) {
  const Norm<T>& n = p.norm;
  std::vector<T> weight, bias, middle(p.x.size()), y(p.x.size()), expected_y(p.x.size());
  p.fill(weight, kChannels * n.blades * n.grades);
  p.fill(bias, kChannels * n.grades);
  const Gate<T> gate{kChannels, n.blades, n.grades, n.space, p.grade_of, weight.data(), bias.data()};
  const Gate<T>* no_gate = nullptr;
  norm_forward(n, no_gate, 0, kRows, p.x.data(), middle.data());
  gate_forward(gate, 0, kRows, middle.data(), expected_y.data());
  norm_forward(n, &gate, 0, kRows, p.x.data(), y.data());
  expect_near(y, std::vector<double>(expected_y.begin(), expected_y.end()), tolerance);

  std::vector<T> g(y.size()), dx(y.size()), expected_dx(y.size());
  std::vector<double> sums(kRows * n.backward_sums()), gate_sums(kRows * gate.sums_per_row());
  std::vector<double> expected_sums(sums.size()), expected_gate_sums(gate_sums.size());
  const T *x = p.x.data(), *dy = p.dy.data(), *shift = p.shift.data(), *pull = p.pull.data();
  gate_backward(gate, 0, kRows, middle.data(), dy, g.data(), expected_gate_sums.data());
  norm_backward_sums(n, no_gate, 0, kRows, x, g.data(), expected_sums.data(), nullptr);
  norm_backward(n, no_gate, 0, kRows, x, g.data(), shift, pull, expected_dx.data());
  norm_backward_sums(n, &gate, 0, kRows, x, dy, sums.data(), gate_sums.data());
  norm_backward(n, &gate, 0, kRows, x, dy, shift, pull, dx.data());
  expect_near(dx, std::vector<double>(expected_dx.begin(), expected_dx.end()), tolerance);
  expect_near(sums, expected_sums, 20 * tolerance);
  expect_near(gate_sums, expected_gate_sums, 20 * tolerance);
}

template <class T>
void check_all(double tolerance) {
  const std::vector<std::vector<std::size_t>> parts{{0}, {0, 0, 0}, {0, 1, 0, 2, 1}};
  for (const auto& grade_of : parts) {
    for (const auto divisor : {Divisor::one, Divisor::mean_norm, Divisor::mean_centred_norm}) {
      for (const std::size_t space : {1, 16, 37, 300}) {
        const Problem<T> p(grade_of, space, divisor);
        check_sums(p, tolerance);
        check_forward_and_backward(p, tolerance);
        check_gate(p, tolerance);
      }
    }
  }
}

TEST(Norm, AgreesWithItsFormulas) {
  test::on_every_target([] {
    check_all<float>(2e-5);
    check_all<double>(1e-13);
  });
}

}  // namespace norm_test
}  // namespace gcan::kernels
