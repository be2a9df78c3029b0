#include "gcan/nn/tensor_algebra.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "gcan/algebra/exponential.h"
#include "tests/nn/gradient.h"
#include "tests/nn/message.h"
#include "tests/nn/multivectors.h"

namespace gcan::nn {
namespace tensor_algebra_test {

using test::expect_near;
using test::message;
using test::multivectors;
using Multivec = test::Multivec;

torch::Tensor random(torch::IntArrayRef sizes) { return torch::randn(sizes, torch::kDouble); }

MultivectorTensor random_on(const Algebra& algebra, const std::vector<Blade>& blades,
                            std::int64_t batch = 5) {
  return {algebra, blades, random({batch, static_cast<std::int64_t>(blades.size())}), -1};
}

// Some of the blades, in random order.
std::vector<Blade> some_blades(const Algebra& algebra, std::size_t step) {
  std::vector<Blade> blades;
  for (std::size_t i = 0; i < algebra.blades().size(); i += step) blades.push_back(algebra.blades()[i]);
  std::reverse(blades.begin(), blades.end());
  return blades;
}

MultivectorTensor random_versor(const Algebra& algebra, int vectors) {
  MultivectorTensor v = random_on(algebra, algebra.blades(1));
  for (int i = 1; i < vectors; ++i) v = v * random_on(algebra, algebra.blades(1));
  return v;
}

TEST(TensorAlgebra, ProductsEqualThoseOfTheRunTimeAlgebra) {
  torch::manual_seed(1);
  for (const Algebra& algebra : test::many_algebras()) {
    for (const Product product :
         {Product::geometric, Product::outer, Product::left_contraction, Product::right_contraction,
          Product::inner, Product::scalar, Product::commutator, Product::regressive}) {
      const auto a = random_on(algebra, some_blades(algebra, 1));
      const auto b = random_on(algebra, some_blades(algebra, 2));
      const auto y = multivectors(multiply(product, a, b));
      const auto as = multivectors(a);
      const auto bs = multivectors(b);
      for (std::size_t i = 0; i < y.size(); ++i) expect_near(y[i], multiply(product, as[i], bs[i]), 1e-14);
    }
  }
}

// Small and large batches are computed in two ways.
TEST(TensorAlgebra, ProductsDoNotDependOnTheSizeOfTheBatch) {
  for (const Algebra& algebra : test::many_algebras()) {
    const auto count = static_cast<std::int64_t>(algebra.blades().size());
    const auto a = random({300, count}).requires_grad_();
    const auto b = random({300, count}).requires_grad_();
    const auto product = [&](std::int64_t from, std::int64_t size) {
      return (MultivectorTensor(algebra, algebra.blades(), a.narrow(0, from, size), -1) *
              MultivectorTensor(algebra, algebra.blades(), b.narrow(0, from, size), -1))
          .values();
    };
    const auto whole = product(0, 300);
    const auto parts = torch::cat({product(0, 100), product(100, 100), product(200, 100)});
    EXPECT_TRUE(torch::allclose(whole, parts, 1e-13, 1e-13));
    const auto weights = torch::randn_like(whole);
    const auto expected = torch::autograd::grad({(whole * weights).sum()}, {a, b});
    const auto gradients = torch::autograd::grad({(parts * weights).sum()}, {a, b});
    EXPECT_TRUE(torch::allclose(gradients[0], expected[0], 1e-13, 1e-13));
    EXPECT_TRUE(torch::allclose(gradients[1], expected[1], 1e-13, 1e-13));
  }
}

TEST(TensorAlgebra, GivenBladesAreThoseOfTheProduct) {
  const Algebra pga = Algebra::pga3d();
  const auto a = random_on(pga, pga.blades());
  const auto b = random_on(pga, pga.blades());
  const auto kept = pga.blades(2);
  const auto y = multiply(Product::geometric, a, b, kept);
  EXPECT_EQ(y.blades(), kept);
  EXPECT_TRUE(torch::allclose(y.values(), (a * b).on(kept).values()));
  // No blade can be non-zero: an empty dimension, not an error.
  const MultivectorTensor top(pga, {pga.pseudoscalar()}, random({5, 1}), -1);
  EXPECT_EQ((top ^ top).values().sizes(), (torch::IntArrayRef{5, 0}));
}

TEST(TensorAlgebra, UnaryOperationsEqualThoseOfTheRunTimeAlgebra) {
  for (const Algebra& algebra : test::many_algebras()) {
    const auto x = random_on(algebra, some_blades(algebra, 1));
    const auto xs = multivectors(x);
    for (std::size_t i = 0; i < xs.size(); ++i) {
      expect_near(multivectors(reverse(x))[i], reverse(xs[i]), 0);
      expect_near(multivectors(grade_involution(x))[i], grade_involution(xs[i]), 0);
      expect_near(multivectors(dual(x))[i], dual(xs[i]), 0);
      expect_near(multivectors(undual(dual(x)))[i], xs[i], 0);
      expect_near(multivectors(grade(x, 1))[i], grade(xs[i], 1), 0);
      EXPECT_NEAR(norm(x)[static_cast<std::int64_t>(i)].item<double>(), norm(xs[i]), 1e-14);
    }
  }
}

TEST(TensorAlgebra, VersorsInvertNormaliseAndActAsInTheRunTimeAlgebra) {
  torch::manual_seed(2);
  for (const Algebra& algebra : test::many_algebras()) {
    for (int vectors = 1; vectors <= std::min(4, algebra.dimension()); ++vectors) {
      const auto v = random_versor(algebra, vectors);
      const auto x = random_on(algebra, algebra.blades());
      const auto vs = multivectors(v);
      const auto xs = multivectors(x);
      const auto inverses = multivectors(inverse(v));
      const auto units = multivectors(normalized(v));
      const auto moved = multivectors(sandwich(v, x));
      for (std::size_t i = 0; i < vs.size(); ++i) {
        // A nearly null versor amplifies rounding errors.
        const double tolerance = 1e-12 * std::pow(vs[i].coefficient_norm() / norm(vs[i]), 4);
        expect_near(inverses[i], inverse(vs[i]), tolerance);
        expect_near(units[i], normalized(vs[i]), tolerance);
        expect_near(moved[i], sandwich(vs[i], xs[i]), tolerance);
      }
    }
  }
}

TEST(TensorAlgebra, ActionsComposeAndKeepGrades) {
  const Algebra pga = Algebra::pga3d();
  const auto a = random_versor(pga, 2);
  const auto b = random_versor(pga, 4);
  const auto x = random_on(pga, pga.blades(3));
  const auto y = sandwich(a, sandwich(b, x));
  EXPECT_EQ(y.blades(), pga.blades(3));
  EXPECT_TRUE(torch::allclose(y.values(), sandwich(a * b, x).values(), 1e-9, 1e-9));
}

TEST(TensorAlgebra, ExponentialsEqualThoseOfTheRunTimeAlgebra) {
  torch::manual_seed(3);
  for (const Algebra& algebra : test::many_algebras()) {
    if (algebra.dimension() < 2) continue;
    for (const double size : {0.0, 1e-9, 1e-3, 0.5, 1.0, 3.0}) {
      const auto b = random_on(algebra, algebra.blades(2)) * size;
      const auto bs = multivectors(b);
      const auto y = multivectors(exp(b));
      for (std::size_t i = 0; i < bs.size(); ++i) expect_near(y[i], exp(bs[i]), 1e-12);
    }
  }
}

std::vector<Algebra> algebras_with_logarithm() {
  return {Algebra(2),       Algebra(3),       Algebra(0, 3), Algebra(2, 0, 1),
          Algebra(3, 0, 1), Algebra(2, 1, 1), Algebra(1, 1)};
}

TEST(TensorAlgebra, LogarithmsUndoExponentials) {
  torch::manual_seed(4);
  for (const Algebra& algebra : algebras_with_logarithm()) {
    for (const double size : {0.0, 1e-9, 1e-3, 0.2, 0.7, 1.1}) {
      const auto b = random_on(algebra, algebra.blades(2)) * size;
      // Angles below a half turn.
      const auto scale = 1 / torch::clamp(norm(b) / 3, 1);
      const auto small = b * scale;
      // The versor's norm does not matter.
      const auto y = log(exp(small) * 1.7);
      EXPECT_TRUE(torch::allclose(y.values(), small.values(), 1e-11, 1e-13)) << algebra.to_string() << size;
    }
  }
}

// Bivectors of several planes, which one by one have a logarithm.
std::vector<Algebra> algebras_without_closed_logarithm() {
  return {Algebra(4),    Algebra(3, 1),    Algebra(1, 3),    Algebra(2, 2),
          Algebra(4, 1), Algebra(4, 0, 1), Algebra(2, 1, 2), Algebra(6)};
}

TEST(TensorAlgebra, LogarithmsWithoutAClosedFormUndoExponentials) {
  torch::manual_seed(4);
  for (const Algebra& algebra : algebras_without_closed_logarithm()) {
    for (const double size : {0.0, 1e-9, 1e-3, 0.2, 1.1}) {
      // So short that no other bivector has this exponential; behind another dimension.
      const auto random =
          torch::randn({5, static_cast<std::int64_t>(algebra.blades(2).size()), 3}, torch::kDouble);
      const MultivectorTensor b(algebra, algebra.blades(2), random * (size / random.norm(2, 1, true)), 1);
      const auto y = log(exp(b) * 1.7);
      EXPECT_EQ(y.blades(), b.blades());
      EXPECT_TRUE(torch::allclose(y.values(), b.values(), 1e-9, 1e-12)) << algebra.to_string() << size;
      const MultivectorTensor single(algebra, b.blades(), b.values().to(torch::kFloat), 1);
      const auto ys = log(exp(single));
      EXPECT_EQ(ys.values().scalar_type(), torch::kFloat);
      EXPECT_TRUE(torch::allclose(ys.values(), single.values(), 1e-4, 1e-5)) << algebra.to_string() << size;
    }
  }
  for (const Algebra& algebra : {Algebra(4), Algebra(5), Algebra(4, 0, 1)}) {
    const auto versor = normalized(random_versor(algebra, 4));
    EXPECT_TRUE(torch::allclose(exp(log(versor)).on(versor.blades()).values(), versor.values(), 1e-9, 1e-12))
        << algebra.to_string();
  }
}

TEST(TensorAlgebra, SinglePrecision) {
  for (const Algebra& algebra : algebras_with_logarithm()) {
    const auto exact = random_on(algebra, algebra.blades(2), 1000) * 0.5;
    const MultivectorTensor b(algebra, exact.blades(), exact.values().to(torch::kFloat), -1);
    const auto v = exp(b);
    EXPECT_TRUE(torch::allclose(v.values().to(torch::kDouble), exp(exact).values(), 2e-6, 2e-6));
    EXPECT_TRUE(torch::allclose(log(v).values(), b.values(), 1e-4, 1e-4)) << algebra.to_string();
  }
}

TEST(TensorAlgebra, LogarithmOfMotorsEqualsThatOfTheRunTimeAlgebra) {
  const Algebra pga = Algebra::pga3d();
  const auto v = normalized(random_versor(pga, 4));
  const auto vs = multivectors(v);
  const auto logs = multivectors(log(v));
  for (std::size_t i = 0; i < vs.size(); ++i) expect_near(logs[i], grade(log(vs[i]), 2), 1e-11);
}

TEST(TensorAlgebra, MissingLogarithmsAreErrors) {
  // Minus a boost of G(2,2,0), where no half turn leaves its plane alone.
  const Algebra g22(2, 2);
  const MultivectorTensor boost(g22, {g22.blade("e13").blade}, torch::full({1, 1}, 0.7, torch::kDouble), -1);
  const auto no_logarithm = [](const MultivectorTensor& versor) { return message([&] { log(versor); }); };
  EXPECT_NE(no_logarithm((exp(boost) * -1.0).on(g22.even_blades())).find("no logarithm was found"),
            std::string::npos);
  const Algebra g4(4);
  EXPECT_NE(no_logarithm(random_versor(g4, 3)).find("only even versors"), std::string::npos);
  const auto nan = torch::full({1, 8}, std::nan(""), torch::kDouble);
  EXPECT_NE(no_logarithm({g4, g4.even_blades(), nan, -1}).find("not finite"), std::string::npos);
  const Algebra g3(3);
  const MultivectorTensor minus_one(g3, g3.even_blades(),
                                    torch::tensor({{-1.0, 0.0, 0.0, 0.0}}, torch::kDouble), -1);
  EXPECT_NE(message([&] { log(minus_one); }).find("not positive"), std::string::npos);
}

// ---- gradients --------------------------------------------------------------------------------------------

TEST(TensorAlgebra, GradientsOfProducts) {
  for (const Algebra& algebra : {Algebra(2), Algebra(0, 3), Algebra(3, 0, 1)}) {
    const auto count = static_cast<std::int64_t>(algebra.blades().size());
    const auto a = random({2, 1, count}).requires_grad_();
    const auto b = random({3, count}).requires_grad_();
    for (const Product product : {Product::geometric, Product::outer, Product::left_contraction,
                                  Product::right_contraction, Product::regressive}) {
      test::expect_gradients(
          [&] {
            return multiply(product, MultivectorTensor(algebra, algebra.blades(), a, -1),
                            MultivectorTensor(algebra, algebra.blades(), b, -1))
                .values();
          },
          {a, b});
    }
  }
}

TEST(TensorAlgebra, SecondDerivativesOfProducts) {
  const Algebra g2(2);
  const auto a = random({2, 4}).requires_grad_();
  const auto b = random({2, 4}).requires_grad_();
  test::expect_gradients(
      [&] {
        // Inside the no-gradient loop of the central differences too.
        const torch::AutoGradMode with_gradients(true);
        const auto y = MultivectorTensor(g2, g2.blades(), a, -1) * MultivectorTensor(g2, g2.blades(), b, -1);
        return torch::autograd::grad({y.values().pow(3).sum()}, {a}, {}, true, true)[0];
      },
      {b});
}

TEST(TensorAlgebra, GradientsOfVersorOperations) {
  torch::manual_seed(5);
  for (const Algebra& algebra : {Algebra(3), Algebra(3, 0, 1)}) {
    const auto versor = random_versor(algebra, 2);
    const auto v = versor.values().clone().requires_grad_();
    const auto x = random({5, static_cast<std::int64_t>(algebra.blades().size())}).requires_grad_();
    const auto even = [&] { return MultivectorTensor(algebra, versor.blades(), v, -1); };
    const auto object = [&] { return MultivectorTensor(algebra, algebra.blades(), x, -1); };
    test::expect_gradients([&] { return inverse(even()).values(); }, {v}, 1e-6);
    test::expect_gradients([&] { return normalized(even()).values(); }, {v}, 1e-6);
    test::expect_gradients([&] { return sandwich(even(), object()).values(); }, {v, x}, 1e-6);
    test::expect_gradients([&] { return dual(~object()).values(); }, {x});
    test::expect_gradients([&] { return norm(object()); }, {x});
  }
}

TEST(TensorAlgebra, GradientOfTheNormIsFiniteAtZero) {
  const Algebra g3(3);
  const auto x = torch::zeros({2, 3}, torch::kDouble).requires_grad_();
  norm(MultivectorTensor(g3, g3.blades(1), x, -1)).sum().backward();
  EXPECT_EQ(x.grad().abs().max().item<double>(), 0);
}

TEST(TensorAlgebra, GradientsOfExponentialsIncludingTheZeroBivector) {
  for (const Algebra& algebra : test::many_algebras()) {
    if (algebra.dimension() < 2) continue;
    const auto blades = algebra.blades(2);
    for (const double size : {0.0, 1e-8, 0.1, 0.9, 2.0}) {
      torch::manual_seed(6);
      const auto b = (random({3, static_cast<std::int64_t>(blades.size())}) * size).requires_grad_();
      test::expect_gradients([&] { return exp(MultivectorTensor(algebra, blades, b, -1)).values(); }, {b},
                             1e-6);
    }
  }
}

TEST(TensorAlgebra, GradientsOfLogarithmsIncludingTheIdentity) {
  for (const Algebra& algebra : algebras_with_logarithm()) {
    for (const double size : {0.0, 1e-8, 0.1, 0.5}) {
      torch::manual_seed(7);
      const auto versor = exp(random_on(algebra, algebra.blades(2)) * size);
      const auto v = versor.values().clone().requires_grad_();
      test::expect_gradients([&] { return log(MultivectorTensor(algebra, versor.blades(), v, -1)).values(); },
                             {v}, 1e-6);
    }
  }
}

TEST(TensorAlgebra, GradientsOfLogarithmsWithoutAClosedForm) {
  for (const Algebra& algebra : {Algebra(4), Algebra(3, 1), Algebra(4, 1), Algebra(4, 0, 1)}) {
    for (const double size : {0.0, 0.3}) {
      torch::manual_seed(8);
      const auto blades = algebra.blades(2);
      const auto b = (random({2, static_cast<std::int64_t>(blades.size())}) * size).requires_grad_();
      const auto c = (random({2, static_cast<std::int64_t>(blades.size())}) * size).requires_grad_();
      const auto motor = [&](const torch::Tensor& t) {
        return exp(MultivectorTensor(algebra, blades, t, -1));
      };
      const auto y = [&] { return log(motor(b) * motor(c) * 1.3).values(); };
      test::expect_gradients(y, {b, c}, 1e-6);
      test::expect_gradients(
          [&] {
            const torch::AutoGradMode with_gradients(true);
            return torch::autograd::grad({y().pow(3).sum()}, {b}, {}, true, true)[0];
          },
          {c}, 1e-5);
    }
  }
}

// ---- shapes and errors ------------------------------------------------------------------------------------

TEST(TensorAlgebra, BladesMayBeAtAnyDimensionAndBatchesBroadcast) {
  const Algebra g3(3);
  const auto features = random({2, 4, 3, 5, 6});
  const auto rotors = random({4, 4, 1, 1});
  const MultivectorTensor x(g3, g3.blades(1), features);
  const MultivectorTensor a(g3, g3.even_blades(), rotors, 1);
  EXPECT_EQ(x.dim(), -3);
  const auto y = sandwich(a, x);
  ASSERT_EQ(y.values().sizes(), features.sizes());
  EXPECT_TRUE(y.values().is_contiguous());
  const auto one = sandwich(MultivectorTensor(g3, g3.even_blades(), rotors[2].flatten(), 0),
                            MultivectorTensor(g3, g3.blades(1), features[1][2].select(1, 3).select(1, 4), 0));
  EXPECT_TRUE(torch::allclose(y.values()[1][2].select(1, 3).select(1, 4), one.values()));
  // Not contiguous, and in single precision.
  const auto turned = features.transpose(3, 4).to(torch::kFloat);
  const auto z = sandwich(a, MultivectorTensor(g3, g3.blades(1), turned));
  EXPECT_TRUE(torch::allclose(z.values(), y.values().transpose(3, 4), 1e-4, 1e-4));
}

TEST(TensorAlgebra, EmptyBatches) {
  const Algebra pga = Algebra::pga3d();
  const auto b = torch::zeros({0, 7, 6}).requires_grad_();
  const MultivectorTensor bivector(pga, pga.blades(2), b);
  const auto v = exp(bivector);
  EXPECT_EQ(v.values().sizes(), (torch::IntArrayRef{0, 7, 8}));
  const auto y = sandwich(v, log(v));
  EXPECT_EQ(y.values().sizes(), (torch::IntArrayRef{0, 7, 6}));
  y.values().sum().backward();
  EXPECT_EQ(b.grad().sizes(), b.sizes());
  const Algebra g4(4);
  const auto none = torch::zeros({0, 6}).requires_grad_();
  const auto logarithms = log(exp(MultivectorTensor(g4, g4.blades(2), none, -1)));
  EXPECT_EQ(logarithms.values().sizes(), none.sizes());
  logarithms.values().sum().backward();
}

TEST(TensorAlgebra, ErrorsNameWhatIsWrong) {
  const Algebra g2(2);
  const Algebra g3(3);
  const auto x = MultivectorTensor(g2, g2.blades(1), torch::zeros({3, 2}), -1);
  EXPECT_EQ(
      message([&] {
        MultivectorTensor(g3, g3.blades(1), torch::zeros({2, 5, 4}));
      }),
      "MultivectorTensor got a tensor of shape (2, 5, 4) with 4 entries along dimension 2, expected one for "
      "each of the 3 blades {e1, e2, e3}");
  EXPECT_NE(message([&] { MultivectorTensor(g3, g3.blades(1), torch::zeros({3})); }).find("no dimension 2"),
            std::string::npos);
  EXPECT_NE(message([&] {
              MultivectorTensor(g2, {1, 1}, torch::zeros({2}), 0);
            }).find("not all different"),
            std::string::npos);
  EXPECT_NE(
      message([&] { MultivectorTensor(g2, {9}, torch::zeros({1}), 0); }).find("does not exist in G(2,0,0)"),
      std::string::npos);
  EXPECT_NE(message([&] {
              MultivectorTensor(g2, g2.blades(1), torch::zeros({3, 2}, torch::kLong), -1);
            }).find("floating-point"),
            std::string::npos);
  const auto y = MultivectorTensor(g3, g3.blades(1), torch::zeros({3, 3}), -1);
  EXPECT_EQ(message([&] { x* y; }),
            "a product got multivectors of G(2,0,0) and of G(3,0,0), expected one algebra");
  EXPECT_NE(message([&] {
              x + MultivectorTensor(g2, g2.blades(1), torch::zeros({2, 2}), 0);
            }).find("-1 and -2"),
            std::string::npos);
  EXPECT_NE(message([&] {
              x* MultivectorTensor(g2, g2.blades(1), torch::zeros({4, 2}), -1);
            }).find("(3) and (4)"),
            std::string::npos);
  EXPECT_NE(message([&] { exp(x); }).find("expected bivectors"), std::string::npos);
  EXPECT_NE(message([&] {
              sandwich(MultivectorTensor(g2, g2.blades(), torch::zeros({3, 4}), -1), x);
            }).find("even grades only or odd"),
            std::string::npos);
}

}  // namespace tensor_algebra_test
}  // namespace gcan::nn
