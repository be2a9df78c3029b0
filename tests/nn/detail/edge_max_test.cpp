#include "gcan/nn/detail/edge_max.h"

#include "tests/nn/compare.h"
#include "tests/runner/every_target.h"

namespace gcan::nn::detail {
namespace edge_max_test {

using torch::Tensor;

constexpr double kSlope = 0.01;

struct Case {
  std::int64_t scenes, points, neighbours, hidden, outputs;
};

// Random numbers, and edges from random points of the same scene, some of them twice.
struct Inputs {
  explicit Inputs(const Case& c) : edges{Tensor(), c.scenes} {
    torch::manual_seed(3);
    const std::int64_t all = c.scenes * c.points;
    ends = torch::randn({all, c.hidden}).requires_grad_();
    from = torch::randn({all, c.hidden}).requires_grad_();
    weight = torch::randn({c.outputs, c.hidden}).requires_grad_();
    const Tensor scene = torch::arange(c.scenes).view({c.scenes, 1, 1});
    edges.starts =
        (torch::randint(c.points, {c.scenes, c.points, c.neighbours}, torch::kLong) + c.points * scene)
            .view({all, c.neighbours});
  }
  [[nodiscard]] Tensor ours() const { return edge_max(ends, from, weight, edges, kSlope); }
  [[nodiscard]] Tensor reference() const { return edge_max_with_tensors(ends, from, weight, edges, kSlope); }
  [[nodiscard]] std::vector<Tensor> all() const { return {ends, from, weight}; }

  Tensor ends, from, weight;
  Edges edges;
};

const std::vector<Case> kCases{
    {1, 1, 1, 1, 1}, {3, 5, 4, 17, 40}, {2, 32, 31, 64, 48}, {5, 7, 3, 40, 17}, {1, 40, 2, 3, 100}};

TEST(EdgeMax, IsTheLargestOfTheMessages) {
  test::on_every_target([] {
    for (const Case& c : kCases) {
      for (const int threads : {1, 2, 3}) {
        at::set_num_threads(threads);
        const Inputs in(c);
        const Tensor y = in.ours();
        const Tensor expected = in.reference();
        EXPECT_TRUE(torch::allclose(y, expected, 1e-4, 1e-5));
        const Tensor grads = torch::randn_like(expected);
        const auto found = torch::autograd::grad({y}, in.all(), {grads});
        const auto wanted = torch::autograd::grad({expected}, in.all(), {grads});
        for (std::size_t i = 0; i < found.size(); ++i) {
          EXPECT_TRUE(torch::allclose(found[i], wanted[i], 1e-4, 1e-4)) << c.scenes << " scenes, input " << i;
        }
      }
    }
  });
  at::set_num_threads(2);
}

TEST(EdgeMax, CanBeDifferentiatedTwice) {
  const Inputs in({2, 6, 5, 8, 9});
  const auto second = [&](const Tensor& y) {
    const auto first = torch::autograd::grad({y.square().sum()}, in.all(), {}, true, true);
    Tensor sum = torch::zeros({});
    for (const Tensor& g : first) sum = sum + g.square().sum();
    return torch::autograd::grad({sum}, in.all());
  };
  const auto found = second(in.ours()), wanted = second(in.reference());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(torch::allclose(found[i], wanted[i], 1e-3, 1e-3)) << "input " << i;
  }
}

// A NaN message makes its point's maximum NaN, at any position.
TEST(EdgeMax, PropagatesNan) {
  for (const std::int64_t at : {0, 2, 4}) {
    const torch::NoGradGuard no_grad;
    const Inputs in({1, 6, 5, 8, 9});
    in.edges.starts.copy_(torch::arange(1, 6).expand({6, 5}));
    in.from[at + 1].fill_(std::numeric_limits<float>::quiet_NaN());
    EXPECT_TRUE(in.ours().isnan().all().item<bool>());
  }
}

TEST(EdgeMax, SupportsOtherTypesAndNoPoints) {
  Inputs in({2, 4, 3, 5, 6});
  const Tensor y = edge_max(in.ends.to(torch::kDouble), in.from.to(torch::kDouble),
                            in.weight.to(torch::kDouble), in.edges, kSlope);
  EXPECT_EQ(y.scalar_type(), torch::kDouble);
  EXPECT_TRUE(torch::allclose(y.to(torch::kFloat), in.ours(), 1e-4, 1e-5));
  const Edges none{in.edges.starts.narrow(0, 0, 0), 0};
  EXPECT_EQ(edge_max(in.ends.narrow(0, 0, 0), in.from.narrow(0, 0, 0), in.weight, none, kSlope).sizes(),
            (torch::IntArrayRef{0, 6}));
}

}  // namespace edge_max_test
}  // namespace gcan::nn::detail
