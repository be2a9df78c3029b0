#pragma once

#include <unistd.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/report.h"
#include "gcan/data/generate.h"
#include "gcan/train/config.h"
#include "gcan/train/loop/optimizer.h"
#include "gcan/train/loop/order.h"

namespace gcan::bench {

// A simulated data file during the object's lifetime.
class DataFile {
 public:
  template <class Set>
  DataFile(const Set& set, int train)
      : path_(std::filesystem::temp_directory_path() / fmt::format("gcan-bench-{}.h5", getpid())) {
    const data::Observer silent{[](int, int, int) {}, [](const std::string&) {}};
    data::generate(set, {{train, 1, 1}, path_.string(), false, 1}, silent);
  }
  ~DataFile() { std::filesystem::remove(path_); }
  DataFile(const DataFile&) = delete;
  DataFile& operator=(const DataFile&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// During the object's lifetime, calls a function when the gradient of a parameter is complete; several
// objects in order of creation.
class GradientCall {
 public:
  GradientCall(const torch::Tensor& parameter, std::function<void()> call)
      : accumulator_(torch::autograd::impl::grad_accumulator(parameter)),
        hook_(accumulator_->add_post_hook(std::make_unique<Hook>(std::move(call)))) {}
  ~GradientCall() { accumulator_->del_post_hook(hook_); }
  GradientCall(const GradientCall&) = delete;
  GradientCall& operator=(const GradientCall&) = delete;

 private:
  struct Hook : torch::autograd::FunctionPostHook {
    explicit Hook(std::function<void()> f) : call(std::move(f)) {}
    torch::autograd::variable_list operator()(const torch::autograd::variable_list& outputs,
                                              const torch::autograd::variable_list& /*inputs*/) override {
      call();
      return outputs;
    }
    std::function<void()> call;
  };

  std::shared_ptr<torch::autograd::Node> accumulator_;
  std::uintptr_t hook_;
};

// Training steps as in gcan/train/loop/trainer.cpp, with the time of their parts. Adam runs within the
// backward pass, and is timed by clocks before and after its call for each parameter.
class Steps {
 public:
  Steps(const std::vector<std::string>& settings, Clock clock)
      : config_(train::make_config(settings)),
        clock_(clock),
        task_(config_.make_task()),
        network_(config_.make_network()),
        order_(1, task_->size(train::Split::train), config_.train.integer("batch")) {
    for (const torch::Tensor& parameter : network_->parameters()) {
      calls_.push_back(std::make_unique<GradientCall>(parameter, [this] { adam_ -= now(clock_); }));
    }
    optimizer_ = std::make_unique<train::Optimizer>(*network_, config_.train);
    for (const torch::Tensor& parameter : network_->parameters()) {
      calls_.push_back(std::make_unique<GradientCall>(parameter, [this] { adam_ += now(clock_); }));
    }
  }

  void step() {
    const double start = now(clock_);
    const train::Batch batch = task_->batch(train::Split::train, order_.batch(number_), {1, number_ + 1});
    task_->expect(train::Split::train, order_.batch(number_ + 1), {1, number_ + 2});
    const double fetched = now(clock_);
    const torch::Tensor loss = task_->loss(network_->forward(batch.input), batch.target);
    optimizer_->clear_gradients();
    keep(loss.item<double>());
    ++number_;
    optimizer_->update_in_backward(number_, 1e-3);
    loss.backward();
    const double differentiated = now(clock_);
    keep(optimizer_->step(number_, 1e-3));
    const double end = now(clock_);
    adam_ += end - differentiated;
    fetching_ += fetched - start;
    all_ += end - start;
  }

  [[nodiscard]] double fetching_share() const { return fetching_ / all_; }
  [[nodiscard]] double adam_share() const { return adam_ / all_; }

 private:
  train::Config config_;
  Clock clock_;
  std::unique_ptr<train::Task> task_;
  models::NetworkPtr network_;
  train::Order order_;
  std::vector<std::unique_ptr<GradientCall>> calls_;
  std::unique_ptr<train::Optimizer> optimizer_;
  std::int64_t number_ = 0;
  double fetching_ = 0, adam_ = 0, all_ = 0;
};

}  // namespace gcan::bench
