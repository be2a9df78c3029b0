#include "gcan/kernels/gate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/runner/every_target.h"

namespace gcan::kernels {
namespace gate_test {

// The largest error of the sigmoid over its whole range, in units of the last place of the true value.
template <class T, class Exact>
double worst_sigmoid_error() {
  const T low = std::log(std::numeric_limits<T>::min()) + 1;  // below, the result is subnormal
  std::vector<T> x;
  for (int i = 0; i <= 400001; ++i) x.push_back(low + (T(40) - low) * static_cast<T>(i) / T(400001));
  for (int i = -4000; i <= 4000; ++i) x.push_back(std::ldexp(static_cast<T>(i), -12));
  std::vector<T> y(x.size());
  sigmoid(x.data(), y.data(), x.size());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Exact exact = 1 / (1 + std::exp(-static_cast<Exact>(x[i])));
    const auto rounded = static_cast<T>(exact);
    const Exact unit = std::nextafter(rounded, T(2)) - rounded;
    worst = std::max(worst, static_cast<double>(std::abs(static_cast<Exact>(y[i]) - exact) / unit));
  }
  return worst;
}

TEST(Gate, SigmoidIsRightToThreeUnitsInTheLastPlace) {
  test::on_every_target([] {
    const double in_float = worst_sigmoid_error<float, double>();
    const double in_double = worst_sigmoid_error<double, long double>();
    EXPECT_LE(in_float, 3);
    EXPECT_LE(in_double, 3);
    RecordProperty("ulp_float", std::to_string(in_float));
    RecordProperty("ulp_double", std::to_string(in_double));
  });
}

template <class T>
void check_extremes() {
  const T infinity = std::numeric_limits<T>::infinity();
  const T top = std::numeric_limits<T>::max();
  const std::vector<T> x{0, infinity, -infinity, top, -top, -T(103.9), -T(800), std::nanf("")};
  for (std::size_t count = 1; count <= x.size(); ++count) {
    std::vector<T> y(count, T(-1));
    sigmoid(x.data() + x.size() - count, y.data(), count);
    EXPECT_TRUE(std::isnan(y[count - 1]));
    for (std::size_t i = 0; i + 1 < count; ++i) {
      EXPECT_GE(y[i], 0);
      EXPECT_LE(y[i], 1);
    }
  }
  std::vector<T> y(x.size());
  sigmoid(x.data(), y.data(), x.size());
  EXPECT_EQ(y[0], T(0.5));
  EXPECT_EQ(y[1], 1);
  EXPECT_EQ(y[2], 0);
  EXPECT_EQ(y[3], 1);
  EXPECT_EQ(y[4], 0);
}

TEST(Gate, SigmoidKeepsToItsBoundsAndNan) {
  test::on_every_target([] {
    check_extremes<float>();
    check_extremes<double>();
  });
}

template <class T>
struct Problem {
  std::size_t samples, channels, blades, gates, space;
  std::vector<std::size_t> gate_of;
  std::vector<T> weight, bias, x, dy;

  Problem(std::size_t n, std::size_t c, std::vector<std::size_t> parts, std::size_t s)
      : samples(n), channels(c), blades(parts.size()), gates(0), space(s), gate_of(std::move(parts)) {
    for (const std::size_t k : gate_of) gates = std::max(gates, k + 1);
    std::mt19937 engine(1);
    std::normal_distribution<double> normal;
    const auto fill = [&](std::vector<T>& values, std::size_t count) {
      values.resize(count);
      for (T& value : values) value = static_cast<T>(normal(engine));
    };
    fill(weight, channels * gates * blades);
    fill(bias, channels * gates);
    fill(x, samples * channels * blades * space);
    fill(dy, x.size());
  }
  [[nodiscard]] std::size_t rows() const { return samples * channels; }
  [[nodiscard]] Gate<T> gate() const {
    return {channels, blades, gates, space, gate_of, weight.data(), bias.data()};
  }
};

// y, dx and sums by the formulas, number by number.
template <class T>
struct Expected {
  std::vector<double> y, dx, sums;

  explicit Expected(const Problem<T>& p)
      : y(p.x.size()), dx(p.x.size()), sums(p.rows() * p.gate().sums_per_row()) {
    for (std::size_t row = 0; row < p.rows(); ++row) {
      for (std::size_t i = 0; i < p.space; ++i) position(p, row, i);
    }
  }
  void position(const Problem<T>& p, std::size_t row, std::size_t i) {
    const auto at = [&](std::size_t b) { return (row * p.blades + b) * p.space + i; };
    for (std::size_t k = 0; k < p.gates; ++k) {
      const std::size_t gate = row % p.channels * p.gates + k;
      double f = p.bias[gate];
      for (std::size_t b = 0; b < p.blades; ++b) f += double(p.weight[gate * p.blades + b]) * p.x[at(b)];
      const double s = 1 / (1 + std::exp(-f));
      double slope = 0;
      for (std::size_t b = 0; b < p.blades; ++b) {
        if (p.gate_of[b] != k) continue;
        y[at(b)] = s * p.x[at(b)];
        dx[at(b)] += s * p.dy[at(b)];
        slope += s * (1 - s) * p.dy[at(b)] * p.x[at(b)];
      }
      double* sum = sums.data() + (row * p.gates + k) * (p.blades + 1);
      for (std::size_t b = 0; b < p.blades; ++b) {
        dx[at(b)] += slope * p.weight[gate * p.blades + b];
        sum[b] += slope * p.x[at(b)];
      }
      sum[p.blades] += slope;
    }
  }
};

template <class Found>
void expect_near(const std::vector<Found>& found, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << i;
  }
}

template <class T>
void check_against_formulas(double tolerance) {
  const std::vector<std::vector<std::size_t>> parts{{0}, {0, 0, 0}, {0, 1, 0, 2, 1}};
  for (const auto& gate_of : parts) {
    for (const std::size_t space : {1, 5, 16, 63, 300}) {
      const Problem<T> p(2, 3, gate_of, space);
      const Expected<T> expected(p);
      std::vector<T> y(p.x.size()), dx(p.x.size());
      std::vector<double> sums(expected.sums.size());
      // In two ranges of rows, as two threads would.
      for (const auto& [begin, end] : {std::pair<std::size_t, std::size_t>{0, 4}, {4, p.rows()}}) {
        gate_forward(p.gate(), begin, end, p.x.data(), y.data());
        gate_backward(p.gate(), begin, end, p.x.data(), p.dy.data(), dx.data(), sums.data());
      }
      expect_near(y, expected.y, tolerance);
      expect_near(dx, expected.dx, tolerance);
      expect_near(sums, expected.sums, 20 * tolerance);
    }
  }
}

TEST(Gate, AgreesWithItsFormulas) {
  test::on_every_target([] {
    check_against_formulas<float>(1e-5);
    check_against_formulas<double>(1e-13);
  });
}

}  // namespace gate_test
}  // namespace gcan::kernels
