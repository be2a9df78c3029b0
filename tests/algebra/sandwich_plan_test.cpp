#include "gcan/algebra/sandwich_plan.h"

#include <gtest/gtest.h>

#include "gcan/algebra/versor.h"
#include "tests/algebra/random.h"

namespace gcan {
namespace sandwich_plan_test {

using test::Random;
using Multivec = MultivectorX<double>;

// Some of the blades, at least one, in random order: plans must not rely on the canonical one.
std::vector<Blade> some(Random& random, std::vector<Blade> blades) {
  std::vector<Blade> chosen;
  while (chosen.empty()) {
    for (const Blade b : blades) {
      if (random.integer(0, 2) == 0) continue;
      const auto at = random.integer(0, static_cast<int>(chosen.size()));
      chosen.insert(chosen.begin() + at, b);
    }
  }
  return chosen;
}

std::vector<Blade> of_parity(const Algebra& algebra, bool odd) {
  std::vector<Blade> blades;
  for (const Blade b : algebra.blades()) {
    if (is_odd(grade(b)) == odd) blades.push_back(b);
  }
  return blades;
}

std::vector<double> coefficients(const Multivec& x, const std::vector<Blade>& blades) {
  std::vector<double> values;
  for (const Blade b : blades) values.push_back(x.coefficient(b));
  return values;
}

Multivec apply(const SandwichPlan& plan, const std::vector<double>& matrix, const Multivec& x) {
  const auto& b = plan.blades();
  std::vector<Multivec::Term> terms;
  for (std::size_t i = 0; i < b.outputs.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < b.inputs.size(); ++j)
      sum += matrix[i * b.inputs.size() + j] * x.coefficient(b.inputs[j]);
    terms.push_back({b.outputs[i], sum});
  }
  return Multivec(b.algebra, std::move(terms));
}

Multivec restricted(const Multivec& x, const std::vector<Blade>& blades) {
  return x.where([&](Blade b) { return std::find(blades.begin(), blades.end(), b) != blades.end(); });
}

TEST(SandwichPlan, IsTheProductForAnySignatureBladesAndUnnormalisedAction) {
  Random random;
  for (const Signature s : test::kSignatures) {
    const Algebra algebra(s);
    for (int repeat = 0; repeat < 12; ++repeat) {
      const bool odd = repeat % 2 == 1;
      const auto actions = some(random, of_parity(algebra, odd));
      const auto inputs = some(random, algebra.blades());
      const auto outputs = some(random, algebra.blades());
      const SandwichPlan plan({.algebra = algebra, .actions = actions, .inputs = inputs, .outputs = outputs});
      const Multivec a = random.of_blades(algebra, actions, 2);
      const Multivec x = random.of_blades(algebra, inputs, 2);
      const Multivec expected = restricted(a * (odd ? grade_involution(x) : x) * reverse(a), outputs);
      EXPECT_TRUE(test::near(apply(plan, plan.matrix(coefficients(a, actions)), x), expected, 1e-13))
          << algebra.to_string() << (odd ? ", odd" : ", even");
    }
  }
}

TEST(SandwichPlan, ExactInverseIsTheVersorsAction) {
  Random random;
  for (const Signature s : {Signature{3, 0, 0}, {1, 3, 0}, {3, 0, 1}, {4, 1, 0}, {0, 2, 0}}) {
    const Algebra algebra(s);
    for (int count = 1; count <= 4; ++count) {
      const Multivec a = random.versor(algebra, count);
      const SandwichPlan plan({.algebra = algebra,
                               .actions = of_parity(algebra, count % 2 == 1),
                               .inputs = algebra.blades(),
                               .outputs = algebra.blades()});
      const auto values = coefficients(a, plan.blades().actions);
      const Multivec x = random.full(algebra);
      EXPECT_TRUE(test::near(apply(plan, plan.matrix(values, Inverse::exact), x), sandwich(a, x), 1e-10))
          << algebra.to_string() << " " << count;
      const double norm = (a * reverse(a)).scalar();
      EXPECT_TRUE(test::near(apply(plan, plan.matrix(values, Inverse::normalized, 0.5), x),
                             sandwich(a, x) * (std::abs(norm) / (std::abs(norm) + 0.5)), 1e-10));
      EXPECT_TRUE(test::near(apply(plan, plan.matrix(values, Inverse::regularized, 0.5), x),
                             (sandwich(a, x) * std::abs(norm) + x * 0.5) * (1 / (std::abs(norm) + 0.5)),
                             1e-10));
    }
  }
}

TEST(SandwichPlan, ComposesLikeTheGroupAndKeepsGrades) {
  Random random;
  const Algebra pga = Algebra::pga3d();
  for (int k = 0; k <= 4; ++k) {
    const SandwichPlan plan(
        {.algebra = pga, .actions = pga.even_blades(), .inputs = pga.blades(k), .outputs = pga.blades(k)});
    const Multivec a = random.versor(pga, 4), b = random.versor(pga, 2);
    const auto matrix = [&](const Multivec& m) { return plan.matrix(coefficients(m, pga.even_blades())); };
    const Multivec x = random.of_blades(pga, pga.blades(k));
    EXPECT_TRUE(
        test::near(apply(plan, matrix(a), apply(plan, matrix(b), x)), apply(plan, matrix(a * b), x), 1e-11));
    for (int other = 0; other <= 4; ++other) {
      if (other == k) continue;
      const SandwichPlan leak({.algebra = pga,
                               .actions = pga.even_blades(),
                               .inputs = pga.blades(k),
                               .outputs = pga.blades(other)});
      for (const double entry : leak.matrix(coefficients(a, pga.even_blades()))) EXPECT_NEAR(entry, 0, 1e-12);
    }
  }
}

// Derived by hand: R = (q0^2 - |v|^2) I + 2 v v^T + 2 q0 [v]_x and T = 2 (-q0 u + u x v + p v) on (x, y, z).
TEST(SandwichPlan, GivesTheClosedFormOfMotorsOnPoints) {
  const Algebra pga = Algebra::pga3d();
  const SandwichPlan plan({.algebra = pga,
                           .actions = pga.even_blades(),
                           .inputs = pga.points(),
                           .outputs = pga.points(),
                           .constants = {pga.blade("e123").blade}});
  const std::vector<double> a = {0.3, -0.7, 0.2, 1.1, 0.4, -0.9, 0.6, 0.8};
  const double q = a[0], p = a[7], v[3] = {-a[6], a[5], -a[4]}, u[3] = {a[1], a[2], a[3]};
  const double vv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  const double cross[3][3] = {{0, -v[2], v[1]}, {v[2], 0, -v[0]}, {-v[1], v[0], 0}};
  // (e012, e013, e023) = (-z, y, -x)
  const int coordinate[3] = {2, 1, 0};
  const double sign[3] = {-1, 1, -1};
  const auto matrix = plan.matrix(a);
  double translation[3] = {};
  for (const auto& t : plan.constant_terms())
    translation[t.output] +=
        t.coefficient * a[static_cast<std::size_t>(t.left)] * a[static_cast<std::size_t>(t.right)];
  for (std::size_t y = 0; y < 3; ++y) {
    const int i = coordinate[y], j1 = (i + 1) % 3, j2 = (i + 2) % 3;
    EXPECT_NEAR(translation[y], sign[y] * 2 * (-q * u[i] + u[j1] * v[j2] - u[j2] * v[j1] + p * v[i]), 1e-14);
    for (std::size_t x = 0; x < 3; ++x) {
      const int j = coordinate[x];
      const double r = (i == j ? q * q - vv : 0) + 2 * v[i] * v[j] + 2 * q * cross[i][j];
      EXPECT_NEAR(matrix[y * 3 + x], sign[y] * sign[x] * r, 1e-14);
    }
  }
}

TEST(SandwichPlan, RejectsInvalidActions) {
  const Algebra g3(3);
  const auto make = [&](std::vector<Blade> actions, std::vector<Blade> inputs) {
    return [=] { SandwichPlan({.algebra = g3, .actions = actions, .inputs = inputs, .outputs = inputs}); };
  };
  EXPECT_NE(test::error_of(make({0, 1}, {1})).find("either even (Spin) or odd (Pin)"), std::string::npos);
  EXPECT_NE(test::error_of(make({}, {1})).find("at least one blade"), std::string::npos);
  EXPECT_NE(test::error_of(make({0, 3, 3}, {1})).find("e12 occurs twice"), std::string::npos);
  EXPECT_NE(test::error_of(make({0}, {8})).find("8 does not exist in G(3,0,0)"), std::string::npos);
}

// The sums, evaluated like in a kernel, compared with the terms.
TEST(SandwichPlan, SumsAreTheTermsWithoutRepetitions) {
  Random random;
  for (const Signature s : test::kSignatures) {
    const Algebra algebra(s);
    const SandwichPlan plan({algebra, some(random, of_parity(algebra, false)), some(random, algebra.blades()),
                             some(random, algebra.blades())});
    const SandwichSums& sums = plan.sums();
    const std::size_t inputs = plan.blades().inputs.size(), actions = plan.blades().actions.size();
    std::vector<double> action(actions);
    for (double& x : action) x = random.integer(-9, 9);
    std::vector<double> products, results;
    for (const auto& [left, right] : sums.products) {
      products.push_back((left == right ? 1 : 2) * action[static_cast<std::size_t>(left)] *
                         action[static_cast<std::size_t>(right)]);
    }
    for (std::size_t row = 0; row < sums.sums.size(); ++row) {
      double sum = 0;
      for (const int k : sums.sums.added(row)) sum += products[static_cast<std::size_t>(k)];
      for (const int k : sums.sums.subtracted(row)) sum -= products[static_cast<std::size_t>(k)];
      results.push_back(sum);
    }
    results.push_back(0);
    const std::vector<double> expected = plan.matrix(action);
    ASSERT_EQ(sums.of_entry.size(), expected.size());
    std::vector<double> entries_of_sum(results.size());
    for (std::size_t e = 0; e < expected.size(); ++e) {
      const auto sum = static_cast<std::size_t>(sums.of_entry[e]);
      EXPECT_EQ(results[sum], expected[e]);
      entries_of_sum[sum] += 1;
      // Only with the identity, on the diagonal.
      const auto& diagonal = sums.on_diagonal;
      const bool is_diagonal = plan.blades().outputs[e / inputs] == plan.blades().inputs[e % inputs];
      EXPECT_EQ(std::find(diagonal.begin(), diagonal.end(), sums.of_entry[e]) != diagonal.end(), is_diagonal);
    }
    for (std::size_t row = 0; row < sums.sums.size(); ++row) {
      EXPECT_EQ(sums.entries_of.added(row).size(), entries_of_sum[row]);
    }
    // Each product is listed with its actions, and in its sums' lists as often as it occurs in the sums.
    std::size_t partners = 0, terms = 0;
    for (const auto& [left, right] : sums.products) partners += left == right ? 1 : 2;
    EXPECT_EQ(sums.partners.size(), partners);
    EXPECT_EQ(sums.partner_ends.size(), actions);
    for (std::size_t row = 0; row < sums.sums.size(); ++row) {
      terms += sums.sums.added(row).size() + sums.sums.subtracted(row).size();
    }
    EXPECT_EQ(sums.sums_with.numbers.size(), terms);
  }
}

TEST(SandwichPlan, LinesOfPgaHaveFewerSumsThanEntries) {
  const Algebra pga = Algebra::pga3d();
  const SandwichPlan plan({pga, pga.even_blades(), pga.blades(2), pga.blades(2)});
  const std::vector<int>& of_entry = plan.sums().of_entry;
  EXPECT_EQ(of_entry.size(), 36U);
  EXPECT_EQ(std::count(of_entry.begin(), of_entry.end(), static_cast<int>(plan.sums().sums.size())), 9);
  EXPECT_EQ(plan.sums().sums.size(), 22U);
}

}  // namespace sandwich_plan_test
}  // namespace gcan
