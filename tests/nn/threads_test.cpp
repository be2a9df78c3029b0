// Layers in a program with its own threads: concurrent forward and backward passes give the results of a
// single one, and do not change the settings of the process. ./test --preset tsan -R nn_threads also checks
// that they have no data races.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "gcan/nn.h"

namespace gcan::nn {
namespace threads_test {

using torch::Tensor;

struct ProcessSettings {
  int torch_threads = torch::get_num_threads();
  int blas_threads = blas();
  cpu_set_t cores = affinity();

  static int blas() {
    auto* get = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
    return get ? get() : 0;
  }
  static cpu_set_t affinity() {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    sched_getaffinity(0, sizeof cores, &cores);
    return cores;
  }
};

// Value and gradients of a copy of the network.
std::vector<Tensor> run(const torch::nn::Sequential& prototype, const Tensor& input) {
  auto network = std::dynamic_pointer_cast<torch::nn::SequentialImpl>(prototype->clone());
  const Tensor x = input.clone().requires_grad_();
  const Tensor y = network->forward(x);
  y.square().sum().backward();
  std::vector<Tensor> all{y.detach(), x.grad()};
  for (const Tensor& p : network->parameters()) all.push_back(p.grad());
  return all;
}

void expect_same_from_threads(const torch::nn::Sequential& network, const Tensor& x) {
  constexpr std::size_t kThreads = 4;
  std::vector<std::vector<Tensor>> found(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 3; ++i) found[t] = run(network, x);
    });
  }
  for (std::thread& thread : threads) thread.join();
  // Last, so that tables that layers make on first use are made by the threads.
  const std::vector<Tensor> expected = run(network, x);
  for (const auto& results : found) {
    ASSERT_EQ(results.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_TRUE(torch::allclose(results[i], expected[i], 1e-3, 1e-4)) << i;
    }
  }
}

TEST(Threads, ConcurrentPassesAgreeAndDoNotChangeProcessSettings) {
  torch::manual_seed(1);
  const Algebra g2(2), g3(3), pga = Algebra::pga3d();
  const ProcessSettings before;
  expect_same_from_threads(torch::nn::Sequential(GcaConv2d(GcaConv2dOptions(g3, 16, 16, 3).padding(1)),
                                                 NormMSiLU(g3, 16), GcaConv2d(g3, 16, 2, 1)),
                           torch::randn({2, 16, 3, 64, 64}));
  expect_same_from_threads(
      torch::nn::Sequential(GcaLinear(pga, 32, 64), MSiLU(pga, 64), GcaLinear(pga, 64, 32)),
      torch::randn({64, 32, 3}));
  expect_same_from_threads(
      torch::nn::Sequential(CliffordConv2d(CliffordConv2dOptions(g2, 4, 8, 3).padding(1)),
                            CliffordGroupNorm(g2, 1, 8), CliffordBatchNorm(g2, 8)),
      torch::randn({2, 4, 4, 16, 16}));
  expect_same_from_threads(
      torch::nn::Sequential(GcaConv2d(GcaConv2dOptions(g3, 8, 8, 3).stride(2).padding(1)), GcaNorm(g3, 8),
                            GcaConvTranspose2d(GcaConvTranspose2dOptions(g3, 8, 8, 4).stride(2).padding(1))),
      torch::randn({2, 8, 3, 32, 32}));
  const ProcessSettings after;
  EXPECT_EQ(after.torch_threads, before.torch_threads);
  EXPECT_EQ(after.blas_threads, before.blas_threads);
  EXPECT_TRUE(CPU_EQUAL(&after.cores, &before.cores));
}

// Several threads evaluate one network, whose kernels are assembled once and shared.
TEST(Threads, ShareANetworkInEvaluation) {
  const Algebra pga = Algebra::pga3d();
  torch::nn::Sequential network(GcaLinear(pga, 8, 16), MSiLU(pga, 16), GcaLinear(pga, 16, 8));
  network->eval();
  const Tensor x = torch::randn({32, 8, 3});
  const torch::NoGradGuard no_grad;
  std::vector<std::thread> threads;
  std::vector<Tensor> found(4);
  for (Tensor& own : found) {
    threads.emplace_back([&] {
      const torch::NoGradGuard none_here;
      for (int i = 0; i < 20; ++i) own = network->forward(x);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Tensor expected = network->forward(x);
  for (const Tensor& y : found) EXPECT_TRUE(torch::allclose(y, expected, 1e-4, 1e-5));
}

}  // namespace threads_test
}  // namespace gcan::nn
