#include "gcan/train/loop/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gcan/train/config.h"
#include "tests/data/scratch.h"

namespace gcan::train {
namespace optimizer_test {

using test::expect_error_with;

config::Options options(const std::vector<std::pair<std::string, std::string>>& changes = {}) {
  config::Options result("train", train_options());
  for (const auto& [key, value] : changes) result.set_text(key, value);
  return result;
}

// A function with gradients of very different sizes, and one parameter that some steps do not touch.
torch::Tensor loss_of(torch::nn::Sequential& net, const torch::Tensor& x) {
  return (net->forward(x) - x.sum(1, true).sin()).square().mean() * 100;
}

torch::nn::Sequential network(torch::ScalarType type) {
  torch::manual_seed(3);
  torch::nn::Sequential net(torch::nn::Linear(8, 33), torch::nn::Tanh(), torch::nn::Linear(33, 1));
  net->to(type);
  return net;
}

// 100 steps of ours and LibTorch's; the largest difference of a parameter.
template <class TorchOptimizer, class TorchOptions>
double difference_to_torch(torch::ScalarType type, const config::Options& ours, const TorchOptions& theirs) {
  auto a = network(type), b = network(type);
  Optimizer optimizer(*a, ours);
  TorchOptimizer reference(b->parameters(), theirs);
  const double clip = ours.number("clip");
  for (int step = 1; step <= 100; ++step) {
    const torch::Tensor x = torch::randn({16, 8}, type);
    optimizer.clear_gradients();
    loss_of(a, x).backward();
    const double rate = 1e-2 / step;
    const double norm = optimizer.step(step, rate);
    reference.zero_grad();
    loss_of(b, x).backward();
    double reference_norm = 0;
    if (clip > 0) {
      reference_norm = torch::nn::utils::clip_grad_norm_(b->parameters(), clip);
      EXPECT_NEAR(norm / reference_norm, 1, 1e-3);
    }
    static_cast<TorchOptions&>(reference.param_groups()[0].options()).lr(rate);
    reference.step();
  }
  double worst = 0;
  for (std::size_t i = 0; i < a->parameters().size(); ++i) {
    worst = std::max(worst, (a->parameters()[i] - b->parameters()[i]).abs().max().template item<double>());
  }
  return worst;
}

TEST(Optimizer, IsLibTorchsAdam) {
  using torch::optim::Adam;
  using torch::optim::AdamOptions;
  for (const char* decay : {"0", "0.1"}) {
    for (const char* clip : {"0", "0.5"}) {
      const auto ours =
          options({{"weight_decay", decay}, {"clip", clip}, {"beta1", "0.8"}, {"epsilon", "1e-6"}});
      const auto theirs = AdamOptions(1e-2).weight_decay(std::stod(decay)).betas({0.8, 0.999}).eps(1e-6);
      EXPECT_LT((difference_to_torch<Adam>(torch::kFloat64, ours, theirs)), 1e-12);
      EXPECT_LT((difference_to_torch<Adam>(torch::kFloat32, ours, theirs)), 1e-5);
    }
  }
}

TEST(Optimizer, IsLibTorchsAdamW) {
  using torch::optim::AdamW;
  using torch::optim::AdamWOptions;
  const auto ours = options({{"optimizer", "adamw"}, {"weight_decay", "0.1"}});
  const auto theirs = AdamWOptions(1e-2).weight_decay(0.1);
  EXPECT_LT((difference_to_torch<AdamW>(torch::kFloat64, ours, theirs)), 1e-12);
  EXPECT_LT((difference_to_torch<AdamW>(torch::kFloat32, ours, theirs)), 1e-5);
}

TEST(Optimizer, AveragesTheWeights) {
  auto net = network(torch::kFloat64);
  Optimizer optimizer(*net, options({{"ema", "0.95"}}));
  torch::Tensor expected = net->parameters()[0].detach().clone();
  for (int step = 1; step <= 300; ++step) {
    optimizer.clear_gradients();
    loss_of(net, torch::randn({4, 8}, torch::kFloat64)).backward();
    optimizer.step(step, 1e-2);
    const double keep = std::min(0.95, (1.0 + step) / (10.0 + step));
    expected = keep * expected + (1 - keep) * net->parameters()[0].detach();
  }
  EXPECT_LT((optimizer.average()[0].second - expected).abs().max().item<double>(), 1e-13);
  EXPECT_TRUE(Optimizer(*net, options()).average().empty());
}

TEST(Optimizer, InvalidatesCachedKernels) {
  auto net = network(torch::kFloat32);
  Optimizer optimizer(*net, options());
  const auto before = net->parameters()[0]._version();
  loss_of(net, torch::randn({4, 8})).backward();
  optimizer.step(1, 1e-2);
  EXPECT_NE(net->parameters()[0]._version(), before);
}

TEST(Optimizer, SkipsParametersWithoutGradients) {
  auto net = network(torch::kFloat32);
  net->parameters()[1].set_requires_grad(false);
  Optimizer optimizer(*net, options());
  EXPECT_EQ(optimizer.state().size(), 6U);
  const torch::Tensor before = net->parameters()[0].detach().clone();
  EXPECT_EQ(optimizer.step(1, 1e-2), 0);
  EXPECT_TRUE(net->parameters()[0].equal(before));
}

TEST(Optimizer, ThreadsChangeNoBit) {
  std::vector<torch::Tensor> results;
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    torch::manual_seed(4);
    torch::nn::Linear net(700, 900);
    Optimizer optimizer(*net, options({{"clip", "0.1"}}));
    for (int step = 1; step <= 3; ++step) {
      for (torch::Tensor& p : net->parameters()) p.mutable_grad() = torch::randn_like(p);
      results.push_back(torch::tensor(optimizer.step(step, 1e-2), torch::kFloat64));
    }
    results.push_back(net->weight.detach());
  }
  at::set_num_threads(1);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(results[i].equal(results[i + 4])) << i;
}

TEST(Optimizer, NamesTheLargestGradients) {
  auto net = network(torch::kFloat32);
  Optimizer optimizer(*net, options());
  loss_of(net, torch::randn({4, 8})).backward();
  net->parameters()[2].mutable_grad().flatten()[0] = INFINITY;
  EXPECT_TRUE(optimizer.largest_gradients().starts_with("2.weight inf, ")) << optimizer.largest_gradients();
  EXPECT_FALSE(std::isfinite(optimizer.step(1, 1e-2)));
}

TEST(Optimizer, CopiesByName) {
  const torch::Tensor one = torch::ones({2}), zero = torch::zeros({2});
  copy_by_name({{"a", one}}, {{"a", zero}}, "w");
  EXPECT_TRUE(zero.equal(one));
  expect_error_with([&] { copy_by_name({}, {{"a", zero}}, "w"); }, {"'w'", "no tensor 'a'"});
  expect_error_with([&] { copy_by_name({{"a", one}, {"b", one}}, {{"a", zero}}, "w"); }, {"'w'", "'b'"});
  expect_error_with([&] { copy_by_name({{"a", torch::ones({3})}}, {{"a", zero}}, "w"); }, {"'a'", "shape"});
  expect_error_with([&] { copy_by_name({{"a", one.to(torch::kFloat64)}}, {{"a", zero}}, "w"); }, {"type"});
}

TEST(Optimizer, WeightsIncludeBuffers) {
  torch::nn::BatchNorm1d norm(3);
  std::vector<std::string> names;
  for (const auto& [name, tensor] : weights_of(*norm)) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"weight", "bias", "running_mean", "running_var",
                                             "num_batches_tracked"}));
}

// Whether parameters are updated within backward() or after it changes no bit.
TEST(Optimizer, UpdatesInTheBackwardPass) {
  for (const char* clip : {"0", "0.5"}) {
    auto a = network(torch::kFloat32), b = network(torch::kFloat32);
    Optimizer within(*a, options({{"ema", "0.9"}, {"clip", clip}}));
    Optimizer after(*b, options({{"ema", "0.9"}, {"clip", clip}}));
    for (int step = 1; step <= 20; ++step) {
      const torch::Tensor x = torch::randn({16, 8});
      within.clear_gradients();
      const torch::Tensor loss = loss_of(a, x);
      within.update_in_backward(step, 1e-2);
      const torch::Tensor before = a->parameters()[0].detach().clone();
      loss.backward();
      EXPECT_EQ(before.equal(a->parameters()[0]), clip[0] != '0' || clip[1] != 0);
      const double norm = within.step(step, 1e-2);
      after.clear_gradients();
      loss_of(b, x).backward();
      EXPECT_NEAR(after.step(step, 1e-2) / norm, 1, 1e-12);
    }
    for (std::size_t i = 0; i < a->parameters().size(); ++i) {
      EXPECT_TRUE(a->parameters()[i].equal(b->parameters()[i]));
      EXPECT_TRUE(within.average()[i].second.equal(after.average()[i].second));
    }
  }
}

TEST(Optimizer, AGradientInTwoPartsIsAnError) {
  auto net = network(torch::kFloat32);
  Optimizer optimizer(*net, options());
  const torch::Tensor x = torch::randn({16, 8});
  optimizer.update_in_backward(1, 1e-2);
  loss_of(net, x).backward();
  expect_error_with([&] { loss_of(net, x).backward(); }, {"delivered twice", "parameter"});
  optimizer.step(1, 1e-2);
  loss_of(net, x).backward();  // outside a step backward() may be called freely
}

// Three pieces of numbers: the first always has gradients, the second from step 4 on, the last in none.
struct Sleeper : torch::nn::Module {
  explicit Sleeper(torch::ScalarType type) {
    torch::manual_seed(5);
    numbers = register_parameter("numbers", torch::randn({3 * kPiece + 5}, type));
  }
  torch::Tensor loss(int step) const {
    const torch::Tensor factors = torch::arange(3 * kPiece + 5, numbers.options()).sin();
    const torch::Tensor awake = torch::arange(3 * kPiece + 5) < (step < 4 ? 1 : 2) * kPiece;
    return (factors * numbers * numbers * awake).sum();
  }
  static constexpr std::int64_t kPiece = kernels::kAdamPiece;
  torch::Tensor numbers;
};

TEST(Optimizer, SkipsPiecesWithoutGradients) {
  for (const auto type : {torch::kFloat32, torch::kFloat64}) {
    Sleeper a(type), b(type);
    Optimizer optimizer(a, options());
    torch::optim::Adam reference(b.parameters(), torch::optim::AdamOptions(1e-2));
    for (int step = 1; step <= 8; ++step) {
      optimizer.clear_gradients();
      a.loss(step).backward();
      optimizer.step(step, 1e-2);
      reference.zero_grad();
      b.loss(step).backward();
      reference.step();
      EXPECT_TRUE(torch::allclose(a.numbers, b.numbers, 1e-5, 1e-6)) << "step " << step;
    }
    EXPECT_TRUE(a.numbers.slice(0, 2 * Sleeper::kPiece).equal(b.numbers.slice(0, 2 * Sleeper::kPiece)));
  }
}

// Restored moments wake skipped pieces: an optimiser that ran before continues like the saved one.
TEST(Optimizer, RestoredMomentsWakeSkippedPieces) {
  Sleeper a(torch::kFloat64), b(torch::kFloat64);
  Optimizer first(a, options()), second(b, options());
  const auto step = [](Sleeper& module, Optimizer& optimizer, int number, int phase) {
    optimizer.clear_gradients();
    module.loss(phase).backward();
    optimizer.step(number, 1e-2);
  };
  step(a, first, 1, 4);
  step(b, second, 1, 1);
  copy_by_name(first.state(), second.state(), "state");
  {
    const torch::NoGradGuard no_grad;
    b.numbers.copy_(a.numbers);
  }
  step(a, first, 2, 1);
  step(b, second, 2, 1);
  EXPECT_TRUE(a.numbers.equal(b.numbers));
}

}  // namespace optimizer_test
}  // namespace gcan::train
