#include "gcan/nn/detail/message.h"

#include "tests/nn/compare.h"
#include "tests/nn/gradient.h"
#include "tests/nn/message.h"

namespace gcan::nn::detail {
namespace message_test {

using torch::Tensor;

// Number by number of edges: the module on a_i + b_j, for all i and j.
Tensor gated_by_edges(MSiLU gate, const Tensor& a, const Tensor& b) {
  const std::int64_t points = a.size(3);
  const Tensor z = a.unsqueeze(4) + b.unsqueeze(3);  // (C, B, S, i, j)
  const Tensor y = gate(z.flatten(2).unsqueeze(0)).view(z.sizes());
  return (y * (1 - torch::eye(points, a.options()))).sum(4);
}

Tensor leaky_by_edges(const Tensor& a, const Tensor& b, double slope, const Tensor& distance,
                      const Tensor& weight) {
  Tensor y = torch::zeros_like(a);
  for (std::int64_t i = 0; i < a.size(2); ++i) {
    for (std::int64_t j = 0; j < a.size(2); ++j) {
      if (i == j) continue;
      Tensor z = a.select(2, i) + b.select(2, j);
      if (distance.defined()) z = z + weight.unsqueeze(1) * distance.select(1, j).select(1, i);
      y.select(2, i) += torch::where(z > 0, z, slope * z);
    }
  }
  return y;
}

struct Case {
  MSiLUOptions options;
  std::int64_t samples, points;
};

std::vector<Case> cases() {
  const Algebra pga = Algebra::pga3d();
  const std::vector<Blade> points = pga.points();
  const std::vector<Blade> both{points[2], 0b0010, points[1], 0b0100, points[0], 0b1000};
  const auto options = [&](const std::vector<Blade>& blades, Gates gates, Aggregation aggregation) {
    return MSiLUOptions(pga, 3).objects(blades).gates(gates).aggregation(aggregation);
  };
  return {{options(points, Gates::per_channel, Aggregation::linear), 2, 5},
          {options(points, Gates::per_channel, Aggregation::linear), 1, 19},
          {options(both, Gates::per_channel, Aggregation::linear), 2, 4},
          {options(both, Gates::per_grade, Aggregation::linear), 2, 17},
          {options(both, Gates::per_grade, Aggregation::mean), 2, 1},
          {options(points, Gates::per_channel, Aggregation::sum), 0, 4}};
}

TEST(Message, GatedSumsAreSumsOverEdges) {
  for (const auto& [options, samples, points] : cases()) {
    torch::manual_seed(1);
    MSiLU gate(options);
    const auto blades = static_cast<std::int64_t>(options.objects().size());
    for (const auto type : {torch::kFloat, torch::kDouble}) {
      gate->to(type);
      const Tensor a = torch::randn({3, blades, samples, points}, type);
      const Tensor b = torch::randn({3, blades, samples, points}, type);
      const double tolerance = type == torch::kFloat ? 1e-6 : 1e-14;
      test::expect_close(gated_messages(gate, a, b), gated_by_edges(gate, a, b), tolerance, "kernel");
      const auto single = [](const Tensor& x) { return x.unsqueeze(2); };  // (C, B, 1, S, P)
      const Tensor both = torch::stack({single(a), single(b)}, 2);
      test::expect_close(gated_messages(gate, both), gated_by_edges(gate, a, b), tolerance, "both");
      test::expect_close(gated_messages_with_tensors(gate, a, b), gated_by_edges(gate, a, b), tolerance,
                         "tensors");
    }
  }
}

TEST(Message, GatedSumsHaveTheRightGradients) {
  for (const auto& [options, samples, points] : cases()) {
    torch::manual_seed(2);
    MSiLU gate(options);
    gate->to(torch::kDouble);
    const auto blades = static_cast<std::int64_t>(options.objects().size());
    std::vector<Tensor> inputs{torch::randn({3, blades, samples, points}, torch::kDouble).requires_grad_(),
                               torch::randn({3, blades, samples, points}, torch::kDouble).requires_grad_()};
    for (const Tensor& parameter : gate->parameters()) inputs.push_back(parameter);
    test::expect_gradients([&] { return gated_messages(gate, inputs[0], inputs[1]); }, inputs);
  }
}

TEST(Message, LeakySumsAreSumsOverEdges) {
  for (const std::int64_t points : {1, 5, 16, 19, 32}) {
    for (const auto type : {torch::kFloat, torch::kDouble}) {
      const Tensor a = torch::randn({3, 2, points}, type), b = torch::randn({3, 2, points}, type);
      const Tensor distance = torch::rand({2, points, points}, type), weight = torch::randn({3}, type);
      const double tolerance = type == torch::kFloat ? 1e-6 : 1e-14;
      for (const double slope : {0.01, 0.0, 1.0}) {
        test::expect_close(leaky_messages(a, b, slope), leaky_by_edges(a, b, slope, {}, {}), tolerance,
                           "alone");
        const Tensor far = leaky_by_edges(a, b, slope, distance, weight);
        test::expect_close(leaky_messages(a, b, slope, distance, weight), far, tolerance, "with distances");
        test::expect_close(leaky_messages_with_tensors(a, b, slope, distance, weight), far, tolerance,
                           "tensors");
      }
    }
  }
}

TEST(Message, LeakySumsHaveTheRightGradients) {
  torch::manual_seed(3);
  for (const std::int64_t points : {4, 18}) {
    const auto leaf = [](torch::IntArrayRef sizes) {
      return torch::randn(sizes, torch::kDouble).requires_grad_();
    };
    const std::vector<Tensor> inputs{leaf({2, 2, points}), leaf({2, 2, points}), leaf({2, points, points}),
                                     leaf({2})};
    test::expect_gradients([&] { return leaky_messages(inputs[0], inputs[1], 0.1, inputs[2], inputs[3]); },
                           inputs);
    test::expect_gradients([&] { return leaky_messages(inputs[0], inputs[1], 0.1); }, {inputs[0], inputs[1]});
  }
}

TEST(Message, SecondDerivativesUseTensorOperations) {
  torch::manual_seed(4);
  MSiLU gate(MSiLUOptions(Algebra::pga3d(), 2).objects(Algebra::pga3d().points()));
  gate->to(torch::kDouble);
  const Tensor a = torch::randn({2, 3, 1, 3}, torch::kDouble).requires_grad_();
  const Tensor b = torch::randn({2, 3, 1, 3}, torch::kDouble).requires_grad_();
  // The gradient with respect to x of a function that is not linear in it.
  const auto grads = [&](const std::function<Tensor()>& f, const Tensor& x) {
    const torch::AutoGradMode with_gradients(true);
    return torch::autograd::grad({f().square().sum()}, {x}, {}, true, true)[0];
  };
  test::expect_gradients([&] { return grads([&] { return gated_messages(gate, a, b); }, a); }, {a, b}, 1e-6);
  const Tensor c = torch::randn({2, 1, 3}, torch::kDouble).requires_grad_();
  const Tensor d = torch::randn({2, 1, 3}, torch::kDouble).requires_grad_();
  test::expect_gradients([&] { return grads([&] { return leaky_messages(c, d, 0.1); }, c); }, {c, d}, 1e-6);
}

TEST(Message, BadInputIsAnError) {
  const MSiLU gate(MSiLUOptions(Algebra::pga3d(), 2).objects(Algebra::pga3d().points()));
  const Tensor a = torch::zeros({2, 3, 1, 4});
  EXPECT_NE(test::message([&] {
              gated_messages(gate, torch::zeros({3, 3, 1, 4}), a);
            }).find("expected (2, 3, *, *)"),
            std::string::npos);
  EXPECT_NE(test::message([&] {
              gated_messages(gate, a, torch::zeros({2, 3, 1, 5}));
            }).find("expected (2, 3, 1, 4)"),
            std::string::npos);
  const Tensor c = torch::zeros({2, 1, 4});
  EXPECT_NE(test::message([&] { leaky_messages(c, c, 2); }).find("from 0 to 1"), std::string::npos);
  EXPECT_NE(test::message([&] {
              leaky_messages(c, c, 0.1, torch::zeros({1, 3, 3}), torch::zeros({2}));
            }).find("expected (1, 4, 4)"),
            std::string::npos);
}

}  // namespace message_test
}  // namespace gcan::nn::detail
