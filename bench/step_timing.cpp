#include "bench/step_timing.h"

#include <cblas.h>
#include <unistd.h>

#include <filesystem>

#include "gcan/data/generate.h"
#include "gcan/train/config.h"
#include "gcan/train/optimizer.h"
#include "gcan/train/order.h"

namespace gcan::bench {
namespace {

// A data file for as long as the object lives.
class DataFile {
 public:
  DataFile() : path_(std::filesystem::temp_directory_path() / fmt::format("gcan-bench-{}.h5", getpid())) {
    const data::Observer silent{[](int, int, int) {}, [](const std::string&) {}};
    data::generate(data::TetrisSet{}, {{1024, 1, 1}, path_.string(), false, 1}, silent);
  }
  ~DataFile() { std::filesystem::remove(path_); }
  DataFile(const DataFile&) = delete;
  DataFile& operator=(const DataFile&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// Training steps as gcan/train/trainer.cpp does them, with the time of two of their parts.
class Steps {
 public:
  Steps(const std::string& network, const DataFile& file)
      : config_(
            train::make_config({"model.name=" + network, "data.kind=tetris", "data.file=" + file.path()})),
        task_(config_.make_task()),
        network_(config_.make_network()),
        optimizer_(*network_, config_.train),
        order_(1, task_->size(train::Split::train), config_.train.whole("batch")) {}

  void step() {
    const double start = now(Clock::thread);
    const train::Batch batch = task_->batch(train::Split::train, order_.batch(number_), {1, number_});
    fetching_ += now(Clock::thread) - start;
    const torch::Tensor loss = task_->loss(network_->forward(batch.input), batch.target);
    optimizer_.clear_gradients();
    loss.backward();
    keep(loss.item<double>());
    const double before_adam = now(Clock::thread);
    keep(optimizer_.step(++number_, 1e-3));
    const double end = now(Clock::thread);
    adam_ += end - before_adam;
    all_ += end - start;
  }

  [[nodiscard]] double adam_share() const { return adam_ / all_; }
  [[nodiscard]] double fetching_share() const { return fetching_ / all_; }

 private:
  train::Config config_;
  std::unique_ptr<train::Task> task_;
  models::NetworkPtr network_;
  train::Optimizer optimizer_;
  train::Order order_;
  std::int64_t number_ = 0;
  double fetching_ = 0, adam_ = 0, all_ = 0;
};

}  // namespace

void report_mlp_step(Report& report) {
  const int threads = at::get_num_threads(), blas_threads = openblas_get_num_threads();
  at::set_num_threads(1);
  openblas_set_num_threads(1);
  const DataFile file;
  Steps gca("gca-mlp", file), plain("mlp", file);
  const Comparison steps = interleaved([&] { gca.step(); }, [&] { plain.step(); }, 101, Clock::thread);
  report.ratio("gca_mlp_step", steps);
  report.value("gca_mlp_steps", 1 / steps.ours, "1/s");
  report.value("mlp_steps", 1 / steps.theirs, "1/s");
  report.value("gca_mlp_adam_share", 100 * gca.adam_share(), "%");
  report.value("gca_mlp_data_share", 100 * gca.fetching_share(), "%");
  at::set_num_threads(threads);
  openblas_set_num_threads(blas_threads);
}

}  // namespace gcan::bench
