#include "gcan/kernels/sandwich.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>

#include "tests/runner/every_target.h"

namespace gcan::kernels {
namespace sandwich_test {

std::vector<double> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> numbers(count);
  for (double& x : numbers) x = uniform(engine);
  return numbers;
}

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

struct Case {
  std::string name;
  SandwichPlan plan;
  PairLayout layout;
  ActionInverse inverse;
};

// The unrolled sandwiches and tables, numbers of blades with different interleaving, sizes with and without
// remainders, all layouts and inverses.
std::vector<Case> cases() {
  const Algebra pga = Algebra::pga3d(), g3(3), minkowski(1, 3);
  const Blade weight = pga.blade("e123").blade;
  const auto plan = [](const Algebra& algebra, std::vector<Blade> actions, std::vector<Blade> objects,
                       std::vector<Blade> constants) {
    return SandwichPlan({algebra, std::move(actions), objects, objects, std::move(constants)});
  };
  const SandwichPlan points = plan(pga, pga.even_blades(), pga.points(), {weight});
  const SandwichPlan vectors = plan(g3, g3.even_blades(), g3.blades(1), {});
  const SandwichPlan both =
      plan(pga, pga.even_blades(), {pga.points()[2], 2, 4, 8, pga.points()[0], pga.points()[1]}, {weight, 1});
  const SandwichPlan odd = plan(minkowski, {1, 2, 4, 8}, minkowski.blades(1), {});
  const SandwichPlan scalar = plan(g3, g3.even_blades(), {0}, {});
  const auto objects = [&](const Algebra& algebra, const std::vector<Blade>& blades) {
    return plan(algebra, algebra.even_blades(), blades, {});
  };
  const SandwichPlan rectangular({pga, pga.even_blades(), pga.blades(3), pga.points(), {}});
  return {{"points", points, {3, 5, 1}, {}},
          {"points, long rows", points, {2, 300, 1}, {}},
          {"points, normalised", points, {4, 17, 1}, {Inverse::normalized, 0.1}},
          {"points, convolution in groups", points, {4, 3, 9, 2}, {Inverse::exact}},
          {"vectors", vectors, {3, 33, 1}, {}},
          {"vectors, convolution", vectors, {2, 30, 9}, {Inverse::normalized, 1e-4}},
          {"vectors, regularised", vectors, {2, 30, 9}, {Inverse::regularized, 0.2}},
          {"odd, regularised", odd, {3, 18, 1, 1, true}, {Inverse::regularized, 0.3}},
          {"vectors, transposed", vectors, {2, 5, 4, 1, true}, {}},
          {"vectors, transposed, one position", vectors, {2, 37, 1, 1, true}, {}},
          {"points and vectors", both, {2, 19, 1}, {}},
          {"odd", odd, {3, 18, 1}, {Inverse::normalized, 0.3}},
          {"one blade", scalar, {3, 21, 1}, {}},
          {"rectangular", rectangular, {2, 18, 1}, {}},
          {"rectangular, transposed", rectangular, {2, 18, 3, 1, true}, {}},
          {"lines", objects(pga, pga.blades(2)), {2, 83, 1}, {}},
          {"lines, transposed, normalised",
           objects(pga, pga.blades(2)),
           {2, 70, 1, 1, true},
           {Inverse::normalized, 0.1}},
          {"lines, convolution", objects(pga, pga.blades(2)), {2, 5, 9}, {}},
          {"planes, regularised", objects(pga, pga.blades(1)), {2, 67, 1}, {Inverse::regularized, 0.2}},
          {"motors", objects(pga, pga.even_blades()), {2, 150, 1}, {Inverse::exact}},
          {"five blades", objects(g3, {1, 2, 4, 3, 5}), {2, 35, 1}, {}},
          {"all blades", objects(minkowski, minkowski.blades()), {2, 37, 1}, {Inverse::regularized, 0.2}}};
}

template <class T>
class Problem {
 public:
  explicit Problem(const Case& c)
      : case_(c),
        actions(numbers(c.plan.blades().actions.size() * size(c.layout.pairs()), 1)),
        weights(numbers(size(c.layout.pairs()), 2)),
        deltas(numbers(c.plan.blades().constants.size() * size(c.layout.groups * c.layout.columns), 3)) {
    // Away from null actions, where the exact inverse has no finite value.
    for (std::size_t i = 0; i < size(c.layout.pairs()); ++i) actions[i] += actions[i] > 0 ? T(2) : T(-2);
  }
  static std::vector<T> numbers(std::size_t count, unsigned seed) {
    const auto values = random_numbers(count, seed);
    return std::vector<T>(values.begin(), values.end());
  }

  SandwichInputs<T> inputs() const {
    return {case_.plan,     case_.layout,   case_.inverse,
            actions.data(), weights.data(), deltas.empty() ? nullptr : deltas.data()};
  }
  std::size_t kernel_size() const {
    return size(case_.layout.pairs()) * case_.plan.blades().outputs.size() *
           case_.plan.blades().inputs.size();
  }
  std::size_t bias_size() const {
    return deltas.empty() ? 0 : size(case_.layout.rows) * case_.plan.blades().outputs.size();
  }
  // In two calls, like threads.
  void assemble(std::vector<T>& kernel, std::vector<T>& bias) const {
    kernel.assign(kernel_size(), T(NAN));
    bias.assign(bias_size(), T(NAN));
    const SandwichOutputs<T> out{kernel.data(), bias.empty() ? nullptr : bias.data()};
    EXPECT_TRUE(assemble_sandwich(inputs(), out, 0, 1));
    EXPECT_TRUE(assemble_sandwich(inputs(), out, 1, case_.layout.rows));
  }
  double loss(const std::vector<T>& kernel_grads, const std::vector<T>& bias_grads) const {
    std::vector<T> kernel, bias;
    assemble(kernel, bias);
    double sum = 0;
    for (std::size_t i = 0; i < kernel.size(); ++i) sum += kernel[i] * kernel_grads[i];
    for (std::size_t i = 0; i < bias.size(); ++i) sum += bias[i] * bias_grads[i];
    return sum;
  }

 private:
  const Case& case_;

 public:
  std::vector<T> actions, weights, deltas;
};

// The blocks by the plan's matrices, one pair at a time.
template <class T>
void expect_blocks(const Case& c, double tolerance) {
  const Problem<T> problem(c);
  std::vector<T> kernel, bias;
  problem.assemble(kernel, bias);
  SandwichPlan::Blades with_constants = c.plan.blades();
  const std::size_t inputs = with_constants.inputs.size(), outputs = with_constants.outputs.size();
  const std::size_t constants = with_constants.constants.size();
  with_constants.inputs.insert(with_constants.inputs.end(), with_constants.constants.begin(),
                               with_constants.constants.end());
  with_constants.constants.clear();
  const SandwichPlan whole(with_constants);
  std::vector<double> expected_bias(problem.bias_size());
  const auto rows = size(c.layout.rows), columns = size(c.layout.columns), places = size(c.layout.positions);
  const std::size_t group_rows = rows / size(c.layout.groups);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      for (std::size_t k = 0; k < places; ++k) {
        const std::size_t pair = (row * columns + column) * places + k;
        std::vector<double> action;
        for (std::size_t i = 0; i < with_constants.actions.size(); ++i)
          action.push_back(static_cast<double>(problem.actions[i * size(c.layout.pairs()) + pair]));
        const auto m = whole.matrix(action, c.inverse.kind, c.inverse.epsilon);
        for (std::size_t y = 0; y < outputs; ++y) {
          const double w = static_cast<double>(problem.weights[pair]);
          for (std::size_t x = 0; x < inputs; ++x) {
            const bool t = c.layout.transposed_blocks;
            const std::size_t u = t ? x : y, v = t ? y : x, us = t ? inputs : outputs,
                              vs = t ? outputs : inputs;
            const std::size_t at = (((row * us + u) * columns + column) * vs + v) * places + k;
            ASSERT_NEAR(static_cast<double>(kernel[at]), w * m[y * (inputs + constants) + x], tolerance)
                << c.name;
          }
          for (std::size_t j = 0; j < constants; ++j) {
            const std::size_t channel = row / group_rows * columns + column;
            expected_bias[row * outputs + y] += w * m[y * (inputs + constants) + inputs + j] *
                                                static_cast<double>(problem.deltas[channel * constants + j]);
          }
        }
      }
  for (std::size_t i = 0; i < bias.size(); ++i)
    ASSERT_NEAR(static_cast<double>(bias[i]), expected_bias[i], 100 * tolerance) << c.name;
}

TEST(Sandwich, AssemblesThePlansMatrices) {
  test::on_every_target([] {
    for (const Case& c : cases()) {
      expect_blocks<double>(c, 1e-13);
      expect_blocks<float>(c, 2e-5);
    }
  });
}

TEST(Sandwich, GradientsAreThoseOfCentralDifferences) {
  test::on_every_target([] {
    for (const Case& c : cases()) {
      Problem<double> problem(c);
      const auto kernel_grads = random_numbers(problem.kernel_size(), 4);
      const auto bias_grads = random_numbers(problem.bias_size(), 5);
      std::vector<double> actions(problem.actions.size(), NAN), weights(problem.weights.size(), NAN);
      std::vector<double> deltas(problem.deltas.size());
      const SandwichGradients<double> gradients{kernel_grads.data(),
                                                bias_grads.empty() ? nullptr : bias_grads.data(),
                                                actions.data(), weights.data(), deltas.data()};
      sandwich_gradient(problem.inputs(), gradients, 0, 1);
      sandwich_gradient(problem.inputs(), gradients, 1, c.layout.rows);
      const auto check = [&](std::vector<double>& values, const std::vector<double>& grads,
                             const char* what) {
        // Long lists by random samples.
        for (std::size_t i = 0; i < values.size(); i += 1 + values.size() / 150) {
          const double kept = values[i], step = 1e-5;
          values[i] = kept + step;
          const double above = problem.loss(kernel_grads, bias_grads);
          values[i] = kept - step;
          const double below = problem.loss(kernel_grads, bias_grads);
          values[i] = kept;
          ASSERT_NEAR(grads[i], (above - below) / (2 * step), 1e-6) << c.name << ", " << what << " " << i;
        }
      };
      check(problem.actions, actions, "action");
      check(problem.weights, weights, "weight");
      check(problem.deltas, deltas, "delta");
    }
  });
}

TEST(Sandwich, FloatAndDoubleGradientsAgree) {
  test::on_every_target([] {
    for (const Case& c : cases()) {
      const auto run = [&]<class T>(T) {
        const Problem<T> problem(c);
        const auto grads = Problem<T>::numbers(problem.kernel_size(), 4);
        const auto bias_grads = Problem<T>::numbers(problem.bias_size(), 5);
        std::vector<T> actions(problem.actions.size()), weights(problem.weights.size());
        std::vector<T> deltas(problem.deltas.size());
        sandwich_gradient(problem.inputs(),
                          SandwichGradients<T>{grads.data(), bias_grads.empty() ? nullptr : bias_grads.data(),
                                               actions.data(), weights.data(), deltas.data()},
                          0, c.layout.rows);
        std::vector<double> all(actions.begin(), actions.end());
        all.insert(all.end(), weights.begin(), weights.end());
        all.insert(all.end(), deltas.begin(), deltas.end());
        return all;
      };
      const auto single = run(0.0F), exact = run(0.0);
      for (std::size_t i = 0; i < exact.size(); ++i)
        ASSERT_NEAR(single[i], exact[i], 2e-4 * (1 + std::abs(exact[i]))) << c.name;
    }
  });
}

TEST(Sandwich, DetectsNonFiniteParameters) {
  test::on_every_target([] {
    for (const Case& c : cases()) {
      for (const float bad : {NAN, INFINITY, -INFINITY}) {
        Problem<float> problem(c);
        std::vector<float> kernel(problem.kernel_size()), bias(problem.bias_size());
        const auto finite_with = [&](float& value) {
          const float kept = std::exchange(value, bad);
          const bool finite = assemble_sandwich(
              problem.inputs(), {kernel.data(), bias.empty() ? nullptr : bias.data()}, 0, c.layout.rows);
          value = kept;
          return finite;
        };
        EXPECT_FALSE(finite_with(problem.actions[problem.actions.size() / 2])) << c.name;
        EXPECT_FALSE(finite_with(problem.weights.back())) << c.name;
        if (!problem.deltas.empty()) {
          EXPECT_FALSE(finite_with(problem.deltas[1])) << c.name;
        }
      }
    }
  });
}

}  // namespace sandwich_test
}  // namespace gcan::kernels
