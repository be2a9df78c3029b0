#include "gcan/train/loop/trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "tests/train/tiny_run.h"

namespace gcan::train {
namespace trainer_test {

using test::Scratch;

// A minimal task: doubling numbers, by a network with one weight.
class Doubling : public Task {
 public:
  [[nodiscard]] std::int64_t size(Split) const override { return 10; }
  Batch batch(Split, std::span<const std::int64_t> indices, const Visit& visit) override {
    visits.push_back(visit.step);
    seen.insert(seen.end(), indices.begin(), indices.end());
    torch::Tensor x = torch::arange(1, 11, torch::kFloat32).unsqueeze(1);
    x = x.index_select(0, torch::tensor(std::vector<std::int64_t>(indices.begin(), indices.end())));
    return {x, 2 * x};
  }
  [[nodiscard]] torch::Tensor loss(const torch::Tensor& p, const torch::Tensor& t) const override {
    return torch::mse_loss(p, t);
  }
  Metrics evaluate(Split, const Predictor& predictor, Depth) override {
    return {std::abs(predictor(torch::ones({1, 1})).item<double>() - 2)};
  }
  std::vector<std::pair<std::string, Metrics>> trivial(Split) override { return {}; }
  [[nodiscard]] std::vector<std::pair<std::string, config::Value>> record() const override { return {}; }

  std::vector<std::int64_t> visits, seen;
};

class OneWeight : public models::Network {
 public:
  OneWeight() { weight = register_parameter("weight", torch::zeros({1})); }
  torch::Tensor forward(const torch::Tensor& x) override { return x * weight; }
  torch::Tensor weight;
};

Config config(const std::vector<std::string>& more) {
  std::vector<std::string> settings{"model.name=mlp", "data.kind=tetris",        "train.steps=100",
                                    "train.batch=5",  "train.learning_rate=0.1", "train.validate_every=10"};
  settings.insert(settings.end(), more.begin(), more.end());
  return make_config(settings);
}

TEST(Trainer, LearnsAndVisitsEverything) {
  const Scratch scratch;
  Doubling task;
  OneWeight network;
  Observer observer;
  std::int64_t reports = 0;
  observer.progress = [&](const Progress& p) { EXPECT_EQ(p.step, ++reports); };
  const Config c = config({});
  Trainer trainer(c, network, task, scratch / "", observer);
  EXPECT_TRUE(trainer.run());
  EXPECT_EQ(reports, 100);
  EXPECT_NEAR(network.weight.item<float>(), 2, 0.05);
  for (std::int64_t i = 0; i < 100; ++i) EXPECT_EQ(task.visits[static_cast<std::size_t>(i)], i + 1);
  for (std::int64_t i = 0; i < 10; ++i) EXPECT_EQ(std::count(task.seen.begin(), task.seen.end(), i), 50);
}

// The best checkpoint has the lowest validation error, with the weights of that step.
TEST(Trainer, BestIsBest) {
  const Scratch scratch;
  Doubling task;
  OneWeight network;
  const Config c = config({"train.learning_rate=0.7", "train.schedule=constant", "train.validate_every=1"});
  Trainer(c, network, task, scratch / "", {}).run();
  double least = 1e9;
  std::int64_t step = 0;
  for (const std::string& line : test::timeless_metrics(scratch / "")) {
    const auto json = nlohmann::json::parse(line);
    if (json["kind"] != "valid" || json["error"].get<double>() >= least) continue;
    least = json["error"];
    step = json["step"];
  }
  const CheckpointFolder checkpoints(scratch / "");
  const Snapshot best = checkpoints.read_weights("best");
  EXPECT_EQ(best.state.step, step);
  EXPECT_NEAR(std::abs(best.weights[0].second.item<double>() - 2), least, 1e-6);
  EXPECT_EQ(checkpoints.read("last").state.best_step, step);
  EXPECT_EQ(checkpoints.read("last").state.step, 100);
}

TEST(Trainer, TheAverageIsEvaluatedAndTheWeightsAreKept) {
  OneWeight network;
  const NamedTensors average{{"weight", torch::full({1}, 2.0F)}};
  Doubling task;
  {
    const Averaged averaged(network, average);
    EXPECT_EQ(judge(network, task, Split::valid, Depth::quick).error, 0);
  }
  EXPECT_EQ(network.weight.item<float>(), 0);
  EXPECT_EQ(judge(network, task, Split::valid, Depth::quick).error, 2);
  EXPECT_TRUE(network.is_training());
  const Averaged none(network, {});
  EXPECT_EQ(network.weight.item<float>(), 0);
}

TEST(Trainer, LogsTheMeanLossSinceTheLastLine) {
  const Scratch scratch;
  Doubling task;
  OneWeight network;
  std::vector<double> losses;
  Observer observer;
  observer.progress = [&](const Progress& p) { losses.push_back(p.loss); };
  const Config c = config({"train.steps=10", "train.log_every=4", "train.validate_every=100"});
  Trainer(c, network, task, scratch / "", observer).run();
  std::vector<std::int64_t> steps;
  std::size_t from = 0;
  for (const std::string& line : test::timeless_metrics(scratch / "")) {
    const auto json = nlohmann::json::parse(line);
    if (json["kind"] != "train") continue;
    steps.push_back(json["step"]);
    const auto to = static_cast<std::size_t>(steps.back());
    const double sum = std::accumulate(losses.begin() + static_cast<std::ptrdiff_t>(from),
                                       losses.begin() + static_cast<std::ptrdiff_t>(to), 0.0);
    EXPECT_NEAR(json["loss"].get<double>(), sum / static_cast<double>(to - from), 1e-12);
    from = to;
  }
  EXPECT_EQ(steps, (std::vector<std::int64_t>{4, 8, 10}));
}

}  // namespace trainer_test
}  // namespace gcan::train
