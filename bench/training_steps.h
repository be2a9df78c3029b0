#pragma once

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/report.h"
#include "gcan/data/generate.h"
#include "gcan/train/config.h"
#include "gcan/train/optimizer.h"
#include "gcan/train/order.h"

namespace gcan::bench {

// A simulated data file for as long as the object lives.
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

// Training steps as gcan/train/trainer.cpp does them, with the time of their parts.
class Steps {
 public:
  Steps(const std::vector<std::string>& settings, Clock clock)
      : config_(train::make_config(settings)),
        clock_(clock),
        task_(config_.make_task()),
        network_(config_.make_network()),
        optimizer_(*network_, config_.train),
        order_(1, task_->size(train::Split::train), config_.train.whole("batch")) {}

  void step(bool learn = true) {
    const double start = now(clock_);
    const train::Batch batch = task_->batch(train::Split::train, order_.batch(number_), {1, number_ + 1});
    task_->expect(train::Split::train, order_.batch(number_ + 1), {1, number_ + 2});
    const double fetched = now(clock_);
    const torch::Tensor loss = task_->loss(network_->forward(batch.input), batch.target);
    optimizer_.clear_gradients();
    keep(loss.item<double>());
    ++number_;
    if (learn) optimizer_.update_in_backward(number_, 1e-3);
    loss.backward();
    if (learn) keep(optimizer_.step(number_, 1e-3));
    fetching_ += fetched - start;
    all_ += now(clock_) - start;
  }

  [[nodiscard]] double fetching_share() const { return fetching_ / all_; }
  // What a step is longer for its updates, which stand in the backward pass: against steps without them.
  [[nodiscard]] double adam_share(int rounds) {
    return 1 - 1 / interleaved([&] { step(); }, [&] { step(false); }, rounds, clock_).ratio;
  }

 private:
  train::Config config_;
  Clock clock_;
  std::unique_ptr<train::Task> task_;
  models::NetworkPtr network_;
  train::Optimizer optimizer_;
  train::Order order_;
  std::int64_t number_ = 0;
  double fetching_ = 0, all_ = 0;
};

}  // namespace gcan::bench
