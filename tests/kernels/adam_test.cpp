#include "gcan/kernels/adam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/runner/every_target.h"

namespace gcan::kernels {
namespace adam_test {

template <class T>
struct State {
  std::vector<T> parameter, gradient, mean, square, average;

  explicit State(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (auto* part : {&parameter, &gradient, &mean, &average}) {
      for (std::size_t i = 0; i < count; ++i) part->push_back(static_cast<T>(normal(random)));
    }
    for (std::size_t i = 0; i < count; ++i) square.push_back(static_cast<T>(std::abs(normal(random))));
  }

  AdamTensor<T> tensor(bool averaged) {
    return {parameter.data(), gradient.data(), mean.data(), square.data(),
            averaged ? average.data() : nullptr};
  }
};

// The header's formulas, one number after the other, in long double.
template <class T>
long double update_plainly(const AdamRule& r, State<T>& s) {
  long double sum = 0;
  for (std::size_t i = 0; i < s.parameter.size(); ++i) {
    long double p = s.parameter[i];
    long double g = r.scale * static_cast<long double>(s.gradient[i]);
    sum += static_cast<long double>(s.gradient[i]) * s.gradient[i];
    if (!r.decoupled) g += r.weight_decay * p;
    const long double m = r.beta1 * s.mean[i] + (1 - r.beta1) * g;
    const long double v = r.beta2 * s.square[i] + (1 - r.beta2) * g * g;
    if (r.decoupled) p -= r.learning_rate * r.weight_decay * p;
    p -= r.learning_rate / (1 - std::pow(r.beta1, static_cast<double>(r.step))) * m /
         (std::sqrt(v / (1 - std::pow(r.beta2, static_cast<double>(r.step)))) + r.epsilon);
    s.average[i] = static_cast<T>(r.average_decay * s.average[i] + (1 - r.average_decay) * p);
    s.parameter[i] = static_cast<T>(p);
    s.mean[i] = static_cast<T>(m);
    s.square[i] = static_cast<T>(v);
  }
  return sum;
}

template <class T>
void expect_near(const std::vector<T>& a, const std::vector<T>& b) {
  const double tolerance = 16 * static_cast<double>(std::numeric_limits<T>::epsilon());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance * (1 + std::abs(b[i]))) << i;
}

template <class T>
void check_formulas() {
  unsigned seed = 1;
  for (const std::size_t count : {0, 1, 7, 16, 33, 1024, 1025, 3001}) {
    for (const bool decoupled : {false, true}) {
      for (const double decay : {0.0, 0.1}) {
        AdamRule rule{++seed, 1e-2, 0.8, 0.99, 1e-6, decay, decoupled, 0.5, 0.9};
        State<T> ours(count, seed), plain = ours;
        const auto sum = static_cast<double>(update_plainly(rule, plain));
        EXPECT_NEAR(adam_update(rule, ours.tensor(true), 0, count), sum, 1e-5 * (1 + sum));
        expect_near(ours.parameter, plain.parameter);
        expect_near(ours.mean, plain.mean);
        expect_near(ours.square, plain.square);
        expect_near(ours.average, plain.average);
        EXPECT_NEAR(sum_of_squares(ours.gradient.data(), count), sum, 1e-5 * (1 + sum));
      }
    }
  }
}

TEST(Adam, FollowsItsFormulas) {
  test::on_every_target([] {
    check_formulas<float>();
    check_formulas<double>();
  });
}

TEST(Adam, DoesNotDependOnThePartition) {
  constexpr std::size_t kCount = 4 * kAdamPiece + 17;
  const AdamRule rule{3, 1e-3};
  State<float> whole(kCount, 5), parts = whole;
  const double sum = adam_update(rule, whole.tensor(false), 0, kCount);
  double added = 0;
  for (std::size_t i = 0; i < kCount; i += kAdamPiece) {
    added += adam_update(rule, parts.tensor(false), i, std::min(i + kAdamPiece, kCount));
  }
  EXPECT_EQ(sum, added);
  EXPECT_EQ(whole.parameter, parts.parameter);
  EXPECT_EQ(whole.average, parts.average);  // none was requested
}

TEST(Adam, DetectsNonFiniteGradients) {
  for (const float bad : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    for (const std::size_t at : {0U, 40U, 99U}) {
      State<float> state(100, 7);
      state.gradient[at] = bad;
      EXPECT_FALSE(std::isfinite(sum_of_squares(state.gradient.data(), 100)));
      EXPECT_FALSE(std::isfinite(adam_update(AdamRule{}, state.tensor(false), 0, 100)));
    }
  }
}

}  // namespace adam_test
}  // namespace gcan::kernels
