#include "bench/graph_timing.h"

#include <cblas.h>

#include <functional>

#include "bench/training_steps.h"
#include "gcan/models/registry.h"
#include "tests/models/tetris/edge_level.h"

namespace gcan::bench {
namespace {

using torch::Tensor;

// A network with gcan's optimiser, trained on one batch of scenes.
class Training {
 public:
  using Forward = std::function<Tensor(const models::Network&, const Tensor&)>;

  // `forward`, if given, replaces the network's own.
  explicit Training(const std::string& name, Forward forward = {})
      : config_(train::make_config({"model.name=" + name, "data.kind=tetris", "data.file=none.h5"})),
        network_(config_.make_network()),
        forward_(std::move(forward)),
        optimizer_(*network_, config_.train),
        x_(torch::randn({16, name.ends_with("velocity") ? 2 : 1, 4, 32, 3})),
        y_(torch::randn_like(x_)) {}

  void step() {
    const Tensor predicted = forward_ ? forward_(*network_, x_) : network_->forward(x_);
    const Tensor loss = torch::mse_loss(predicted, y_);
    optimizer_.clear_gradients();
    optimizer_.update_in_backward(++number_, kRate);
    loss.backward();
    keep(optimizer_.step(number_, kRate));
  }

 private:
  static constexpr double kRate = 1e-3;
  train::Config config_;
  models::NetworkPtr network_;
  Forward forward_;
  train::Optimizer optimizer_;
  std::int64_t number_ = 0;
  Tensor x_, y_;
};

// Compares networks with about equal numbers of parameters; a row's name ends in `suffix`.
void compare_networks(Report& report, const std::string& suffix, Clock clock) {
  const auto compare = [&](const std::string& row, const char* ours, const char* theirs) {
    Training a(ours), b(theirs);
    report.ratio(row + suffix, interleaved([&] { a.step(); }, [&] { b.step(); }, /*rounds=*/11, clock));
  };
  compare("edgeconv_vs_gnn_l", "edgeconv", "gnn-l");
  compare("gca_gnn_vs_gnn_l", "gca-gnn", "gnn-l");
  compare("gca_gnn_velocity_vs_gnn_velocity", "gca-gnn-velocity", "gnn-velocity");
}

}  // namespace

void report_graph_step(Report& report) {
  Training per_point("gca-gnn"), per_edge("gca-gnn", test::gca_gnn_by_edges);
  const Comparison steps = interleaved([&] { per_point.step(); }, [&] { per_edge.step(); }, /*rounds=*/5);
  report.ratio("gca_gnn_step", steps);
  compare_networks(report, "", Clock::wall);
  for (const char* name : {"gca-gnn", "gca-gnn-45", "gca-gnn-velocity", "gnn-s", "gnn-s-d", "gnn-l",
                           "gnn-l-d", "gnn-velocity", "edgeconv"}) {
    Training training(name);
    std::string row = std::string(name) + "_steps";
    std::replace(row.begin(), row.end(), '-', '_');
    report.value(row, 1 / measure([&] { training.step(); }, 11), "1/s");
  }
}

void report_graph_step_on_one_thread(Report& report) {
  const int threads = at::get_num_threads(), blas_threads = openblas_get_num_threads();
  at::set_num_threads(1);
  openblas_set_num_threads(1);
  compare_networks(report, "_one_thread", Clock::thread);
  at::set_num_threads(threads);
  openblas_set_num_threads(blas_threads);
}

}  // namespace gcan::bench
