// Family `sweep`: steps (forward + backward) of layers over channels, grids and batches, on one thread and on
// all: the time per multiplication of the plain sum, so a size with poor performance shows as a cliff. Each
// row varies one of the sizes. Points below 60 % of the best of their row are marked. Plots the times to
// sweep.png, or to the file given as first argument; with a number as second argument, only on so many
// threads.
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/layer_work.h"
#include "bench/report.h"
#include "bench/settings.h"
#include "gcan/models/fluid/residual_block.h"
#include "gcan/nn/conv.h"
#include "gcan/nn/linear.h"
#include "gcan/report/chart.h"

namespace gcan::bench {
namespace {

constexpr double kLeastShare = 0.6;  // of the best rate of a row

struct Size {
  std::int64_t channels, grid, batch;
};

// One kind of work: the seconds of a step, and its multiplications in the plain sum.
struct Work {
  std::string name;
  std::size_t colour;  // in the chart
  std::function<double(const Size&)> seconds;
  std::function<double(const Size&)> multiplications;
};

double numbers(const Size& s) { return static_cast<double>(s.batch * s.grid * s.grid); }

// Forward, then backward to the input and the kernel.
double of_matrix(double in, double out) { return 3 * in * out; }

// A block that can be called like a layer.
struct Block {
  std::shared_ptr<models::ResidualBlock> block;
  torch::Tensor operator()(const torch::Tensor& x) const { return block->forward(x); }
  models::ResidualBlock* operator->() const { return block.get(); }
};

template <class Layer>
double step_seconds(Layer layer, const torch::Tensor& x) {
  return measure(forward_backward(layer, x), 5, at::get_num_threads() == 1 ? Clock::thread : Clock::wall);
}

torch::Tensor features(const Size& s) { return torch::randn({s.batch, s.channels, 3, s.grid, s.grid}); }

Work convolution() {
  return {"convolution", 0,
          [](const Size& s) {
            nn::GcaConv2dOptions options(Algebra(3), s.channels, s.channels, 3);
            return step_seconds(nn::GcaConv2d(options.padding(1)), features(s));
          },
          [](const Size& s) {
            const auto n = static_cast<double>(3 * s.channels);
            return 9 * numbers(s) * of_matrix(n, n);
          }};
}

Work block() {
  return {"UNet block", 1,
          [](const Size& s) {
            const models::LayerSettings settings(models::Family::gca);
            const Block layer{std::make_shared<models::ResidualBlock>(settings, s.channels, s.channels,
                                                                      models::MemorySettings())};
            return step_seconds(layer, features(s));
          },
          [](const Size& s) {
            const auto n = static_cast<double>(3 * s.channels);
            return 2 * 9 * numbers(s) * of_matrix(n, n);
          }};
}

Work linear() {
  return {"linear", 2,
          [](const Size& s) {
            return step_seconds(nn::GcaLinear(Algebra::pga3d(), s.channels, s.channels),
                                torch::randn({s.batch, s.channels, 3}));
          },
          [](const Size& s) {
            const auto n = static_cast<double>(3 * s.channels);
            return static_cast<double>(s.batch) * of_matrix(n, n);
          }};
}

struct Row {
  std::string over;
  report::Marker marker;
  std::vector<Size> sizes;
};

std::vector<Row> fields() {
  return {{"channels",
           report::Marker::filled,
           {{4, 64, 4}, {8, 64, 4}, {16, 64, 4}, {32, 64, 4}, {64, 64, 4}, {128, 64, 4}}},
          {"grid",
           report::Marker::hollow,
           {{16, 16, 1}, {16, 32, 1}, {16, 64, 1}, {16, 128, 1}, {16, 256, 1}, {16, 512, 1}}},
          {"batch", report::Marker::none, {{16, 32, 1}, {16, 32, 4}, {16, 32, 16}, {16, 32, 64}}}};
}

std::vector<Row> vectors() {
  return {{"channels",
           report::Marker::filled,
           {{4, 1, 64}, {8, 1, 64}, {16, 1, 64}, {32, 1, 64}, {64, 1, 64}, {128, 1, 64}}},
          {"batch",
           report::Marker::none,
           {{128, 1, 1}, {128, 1, 4}, {128, 1, 16}, {128, 1, 64}, {128, 1, 1024}}}};
}

std::string text(const Size& s) {
  return fmt::format("{} ch, {} x {}, batch {}", s.channels, s.grid, s.grid, s.batch);
}

void run(const Work& work, const std::vector<Row>& rows, int threads, report::Chart& chart, int& below) {
  for (const Row& row : rows) {
    std::vector<double> times, counts;
    for (const Size& size : row.sizes) {
      counts.push_back(work.multiplications(size));
      times.push_back(work.seconds(size) / counts.back());
    }
    const double best = *std::min_element(times.begin(), times.end());
    report::Series series;
    series.name =
        fmt::format("{} over {}, {} thread{}", work.name, row.over, threads, threads == 1 ? "" : "s");
    series.x = counts;
    series.colour = work.colour;
    series.marker = row.marker;
    series.dashed = threads > 1;
    fmt::print("{}\n", series.name);
    for (std::size_t i = 0; i < times.size(); ++i) {
      series.y.push_back(times[i] * 1e12);
      const double share = best / times[i];
      fmt::print("  {:<32}{:>10.3g} ps{:>6.0f} %{}\n", text(row.sizes[i]), times[i] * 1e12, 100 * share,
                 share < kLeastShare ? "  below" : "");
      below += share < kLeastShare ? 1 : 0;
    }
    chart.series.push_back(std::move(series));
  }
}

}  // namespace
}  // namespace gcan::bench

int main(int count, char** words) {
  using namespace gcan::bench;
  const std::string out = count > 1 ? words[1] : "sweep.png";
  torch::manual_seed(1);
  (void)torch::empty({16 << 20}, torch::kUInt8);  // as in layers_bench.cpp
  const int all = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  gcan::report::Chart chart{.title = "Training steps of single layers",
                            .x_label = "multiplications of a step",
                            .y_label = "picoseconds per multiplication",
                            .x_log = true,
                            .y_log = true};
  int below = 0;
  std::vector<int> counts{1};
  if (all > 1) counts.push_back(all);
  if (count > 2) counts = {std::stoi(words[2])};
  for (const int threads : counts) {
    at::set_num_threads(threads);
    print_settings();
    run(convolution(), fields(), threads, chart, below);
    run(block(), fields(), threads, chart, below);
    run(linear(), vectors(), threads, chart, below);
  }
  gcan::report::draw_chart(chart, out);
  fmt::print("picture: {}\nVALUE sweep_below_60_percent {} points\n", out, below);
}
