// The C++ side of bench/python_bench.py: calls of the C++ modules, timed in Python's process with its
// threads.

#include <torch/library.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "gcan/models/fluid/unet.h"
#include "gcan/nn/conv.h"
#include "gcan/nn/linear.h"

namespace {

// The median over `repeats` blocks of `calls` calls, in seconds per call.
double seconds(const std::function<void()>& call, std::int64_t calls, std::int64_t repeats) {
  std::vector<double> times;
  call();
  for (std::int64_t r = 0; r < repeats; ++r) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < calls; ++i) call();
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() /
                    static_cast<double>(calls));
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

double linear(std::int64_t batch, std::int64_t channels, bool backward, std::int64_t calls,
              std::int64_t repeats) {
  gcan::nn::GcaLinear layer(gcan::Algebra::pga3d(), channels, channels);
  const torch::Tensor x = torch::randn({batch, channels, 3});
  return seconds(
      [&] {
        const torch::Tensor y = layer(x);
        if (backward) y.sum().backward();
      },
      calls, repeats);
}

double unet_step(std::int64_t batch, std::int64_t channels, std::int64_t height, std::int64_t width,
                 std::int64_t repeats) {
  // C++ would recompute what Python caches.
  gcan::models::GcaUNet2d network(gcan::models::GcaUNet2dOptions().channels(channels).recompute(false));
  torch::optim::Adam adam(network->parameters(), 1e-4);
  const torch::Tensor x = torch::randn({batch, 4, 3, height, width});
  return seconds(
      [&] {
        adam.zero_grad();
        network(x).square().mean().backward();
        adam.step();
      },
      1, repeats);
}

}  // namespace

TORCH_LIBRARY(gcan_bench, library) {
  library.def("linear(int batch, int channels, bool backward, int calls, int repeats) -> float", linear);
  library.def("unet_step(int batch, int channels, int height, int width, int repeats) -> float", unet_step);
}
