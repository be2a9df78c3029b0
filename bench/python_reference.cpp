// The C++ side of bench/python_bench.py: calls of the C++ modules, timed in Python's process with its
// threads.

#include <torch/library.h>

#include <functional>
#include <vector>

#include "bench/report.h"
#include "gcan/models/fluid/unet.h"
#include "gcan/nn/conv.h"
#include "gcan/nn/linear.h"
#include "gcan/train/config.h"
#include "gcan/train/loop/optimizer.h"

namespace {

// The median over `repeats` blocks of `calls` calls, in seconds per call.
double median_seconds(const std::function<void()>& call, std::int64_t calls, std::int64_t repeats) {
  const auto clock = at::get_num_threads() == 1 ? gcan::bench::Clock::thread : gcan::bench::Clock::wall;
  std::vector<double> times;
  call();
  for (std::int64_t r = 0; r < repeats; ++r) {
    times.push_back(gcan::bench::seconds(call, static_cast<int>(calls), clock));
  }
  return gcan::bench::median(times);
}

double linear(std::int64_t batch, std::int64_t channels, bool backward, std::int64_t calls,
              std::int64_t repeats) {
  gcan::nn::GcaLinear layer(gcan::Algebra::pga3d(), channels, channels);
  const torch::Tensor x = torch::randn({batch, channels, 3});
  return median_seconds(
      [&] {
        const torch::Tensor y = layer(x);
        if (backward) y.sum().backward();
      },
      calls, repeats);
}

struct UNetData {
  // C++ would recompute what Python caches.
  gcan::models::GcaUNet2d network;
  torch::Tensor x;

  UNetData(std::int64_t batch, std::int64_t channels, std::int64_t height, std::int64_t width)
      : network(gcan::models::GcaUNet2dOptions().channels(channels).recompute(false)),
        x(torch::randn({batch, 4, 3, height, width})) {}
  torch::Tensor loss() { return network(x).square().mean(); }
};

// With gcan's optimiser, as `gcan train` does it: each parameter is updated as soon as its gradient is there.
double unet_step(std::int64_t batch, std::int64_t channels, std::int64_t height, std::int64_t width,
                 bool in_backward, std::int64_t repeats) {
  UNetData data(batch, channels, height, width);
  gcan::train::Optimizer adam(*data.network, gcan::config::Options("train", gcan::train::train_options()));
  std::int64_t number = 0;
  return median_seconds(
      [&] {
        ++number;
        adam.clear_gradients();
        const torch::Tensor loss = data.loss();
        if (in_backward) adam.update_in_backward(number, 1e-4);
        loss.backward();
        adam.step(number, 1e-4);
      },
      1, repeats);
}

double unet_step_torch(std::int64_t batch, std::int64_t channels, std::int64_t height, std::int64_t width,
                       std::int64_t repeats) {
  UNetData data(batch, channels, height, width);
  torch::optim::Adam adam(data.network->parameters(), 1e-4);
  return median_seconds(
      [&] {
        adam.zero_grad();
        data.loss().backward();
        adam.step();
      },
      1, repeats);
}

}  // namespace

TORCH_LIBRARY(gcan_bench, library) {
  library.def("linear(int batch, int channels, bool backward, int calls, int repeats) -> float", linear);
  library.def(
      "unet_step(int batch, int channels, int height, int width, bool in_backward, int repeats) -> float",
      unet_step);
  library.def("unet_step_torch(int batch, int channels, int height, int width, int repeats) -> float",
              unet_step_torch);
}
