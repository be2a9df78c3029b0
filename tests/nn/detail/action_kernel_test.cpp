#include "gcan/nn/detail/action_kernel.h"

#include <gtest/gtest.h>

#include "tests/nn/gradient.h"

namespace gcan::nn::detail {
namespace action_kernel_test {

using torch::Tensor;

struct Case {
  std::string name;
  ActionKernelPtr kernel;
};

std::vector<Case> cases() {
  const Algebra pga = Algebra::pga3d(), g3(3), minkowski(1, 3);
  const Blade weight = pga.blade("e123").blade;
  const SandwichPlan points({pga, pga.even_blades(), pga.points(), pga.points(), {weight}});
  const SandwichPlan vectors({g3, g3.even_blades(), g3.blades(1), g3.blades(1), {}});
  const SandwichPlan rectangular({pga, pga.even_blades(), pga.blades(3), pga.points(), {}});
  const auto make = [](const SandwichPlan& plan, kernels::PairLayout layout, kernels::ActionInverse inverse,
                       std::vector<std::int64_t> kernel_size) {
    return c10::make_intrusive<ActionKernel>(plan, layout, inverse, std::move(kernel_size));
  };
  const SandwichPlan odd({minkowski, minkowski.blades(1), minkowski.blades(1), minkowski.blades(1), {}});
  return {{"points", make(points, {3, 5, 1}, {}, {})},
          {"points, groups", make(points, {4, 2, 6, 2}, {Inverse::exact}, {2, 3})},
          {"points, normalised", make(points, {2, 3, 1}, {Inverse::normalized, 0.3}, {})},
          {"vectors, regularised", make(vectors, {2, 3, 3}, {Inverse::regularized, 0.3}, {3})},
          {"vectors, transposed", make(vectors, {2, 3, 4, 1, true}, {}, {2, 2, 1})},
          {"odd", make(odd, {2, 3, 1}, {Inverse::normalized, 0.1}, {})},
          {"rectangular", make(rectangular, {2, 3, 2, 1, true}, {}, {2})}};
}

struct Parameters {
  Tensor action, weight, delta;
};

Parameters random_parameters(const ActionKernel& kernel) {
  torch::manual_seed(5);
  const auto& layout = kernel.layout();
  const auto blades = static_cast<std::int64_t>(kernel.plan().blades().actions.size());
  const auto constants = static_cast<std::int64_t>(kernel.plan().blades().constants.size());
  std::vector<std::int64_t> sizes{layout.rows, layout.columns};
  const auto kernel_sizes = kernel.kernel_sizes();
  sizes.insert(sizes.end(), kernel_sizes.begin() + 2, kernel_sizes.end());
  const Tensor weight = torch::randn(sizes, torch::kDouble);
  sizes.insert(sizes.begin(), blades);
  Tensor action = torch::rand(sizes, torch::kDouble) - 0.5;
  action[0].add_(2);  // away from null actions
  const Tensor delta = torch::randn({layout.columns * layout.groups, constants}, torch::kDouble);
  return {action.requires_grad_(), torch::Tensor(weight).requires_grad_(),
          torch::Tensor(delta).requires_grad_()};
}

Tensor joined(const AssembledKernel& made) {
  return made.bias.defined() ? torch::cat({made.kernel.flatten(), made.bias}) : made.kernel.flatten();
}

std::vector<Tensor> gradients(const Tensor& y, const Parameters& p) {
  torch::manual_seed(6);
  std::vector<Tensor> wanted{p.action, p.weight};
  if (p.delta.numel() > 0) wanted.push_back(p.delta);
  return torch::autograd::grad({y}, wanted, {torch::randn_like(y)});
}

TEST(ActionKernel, TensorOperationsAndCpuKernelsAgree) {
  for (const Case& c : cases()) {
    const Parameters p = random_parameters(*c.kernel);
    const Tensor fast = joined(assemble(c.kernel, p.action, p.weight, p.delta));
    const Tensor plain = joined(c.kernel->assemble_by_tensors(p.action, p.weight, p.delta));
    EXPECT_TRUE(torch::allclose(fast, plain, 1e-12, 1e-12)) << c.name;
    const auto fast_gradients = gradients(fast, p), plain_gradients = gradients(plain, p);
    for (std::size_t i = 0; i < fast_gradients.size(); ++i) {
      EXPECT_TRUE(torch::allclose(fast_gradients[i], plain_gradients[i], 1e-11, 1e-11)) << c.name << " " << i;
    }
  }
}

TEST(ActionKernel, GradientsOfBothPaths) {
  for (const Case& c : cases()) {
    const Parameters p = random_parameters(*c.kernel);
    std::vector<Tensor> inputs{p.action, p.weight};
    if (p.delta.numel() > 0) inputs.push_back(p.delta);
    test::expect_gradients([&] { return joined(assemble(c.kernel, p.action, p.weight, p.delta)); }, inputs);
    test::expect_gradients([&] { return joined(c.kernel->assemble_by_tensors(p.action, p.weight, p.delta)); },
                           inputs);
  }
}

TEST(ActionKernel, SecondDerivatives) {
  for (const Case& c : cases()) {
    const Parameters p = random_parameters(*c.kernel);
    std::vector<Tensor> inputs{p.action, p.weight};
    if (p.delta.numel() > 0) inputs.push_back(p.delta);
    const auto gradient_norm = [&] {
      const torch::AutoGradMode with_grad(true);
      const Tensor y = joined(assemble(c.kernel, p.action, p.weight, p.delta));
      const auto grads = torch::autograd::grad({y.square().sum()}, {p.action}, {}, true, true);
      return grads[0];
    };
    test::expect_gradients(gradient_norm, inputs, 1e-6);
  }
}

TEST(ActionKernel, DoesNotDependOnTheNumberOfThreads) {
  const Algebra pga = Algebra::pga3d();
  const SandwichPlan plan({pga, pga.even_blades(), pga.points(), pga.points(), {pga.blade("e123").blade}});
  const auto kernel = c10::make_intrusive<ActionKernel>(
      plan, kernels::PairLayout{131, 257, 1}, kernels::ActionInverse{}, std::vector<std::int64_t>{});
  const Parameters p = random_parameters(*kernel);
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const Tensor one = joined(assemble(kernel, p.action, p.weight, p.delta));
  const auto one_gradients = gradients(one, p);
  at::set_num_threads(3);
  const Tensor many = joined(assemble(kernel, p.action, p.weight, p.delta));
  const auto many_gradients = gradients(many, p);
  at::set_num_threads(before);
  EXPECT_TRUE(torch::equal(one, many));
  for (std::size_t i = 0; i < one_gradients.size(); ++i) {
    EXPECT_TRUE(torch::allclose(one_gradients[i], many_gradients[i], 1e-12, 1e-12)) << i;
  }
}

TEST(ActionKernel, OutlivesItsLayerInABackwardPass) {
  Tensor y;
  Parameters p;
  {
    const Case c = cases()[0];
    p = random_parameters(*c.kernel);
    y = joined(assemble(c.kernel, p.action, p.weight, p.delta));
  }
  y.sum().backward();
  EXPECT_TRUE(p.action.grad().defined());
}

}  // namespace action_kernel_test
}  // namespace gcan::nn::detail
