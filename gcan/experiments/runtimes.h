#pragma once

// gcan/experiments: the paper's tables and figures as data and code: networks, sizes, budgets, and the
// comparison of results. No argument parsing and no printing.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gcan::experiments {

// A network of the registry with a given width.
struct NetworkCase {
  std::string model;  // "gca-unet"
  std::int64_t channels;
  // Further options of section "model", as "name=value".
  std::vector<std::string> options = {};
  // Whether it uses LibTorch's convolutions where ours are available.
  bool by_libtorch = false;

  // "GCA-UNet-32"
  [[nodiscard]] std::string title() const;
};

struct RuntimeOptions {
  std::int64_t height = 96;
  std::int64_t width = 192;
  std::int64_t batch = 1;
  int rounds = 5;
  bool memory = true;          // whether to measure peak memory, of the CPU only
  std::string device = "cpu";  // train::device_named
};

// Measurements of a network: seconds of each round, and bytes.
struct Runtime {
  std::int64_t parameters = 0;
  std::vector<double> forward, backward, both;
  double peak = 0;  // growth of the process's memory in training steps, gradients included
};

// Times training steps (forward, mean square, backward) of all networks in turn for several rounds, so that
// temporary disturbances affect all equally. Peak memory is measured in a child process for each network,
// before this process starts threads, so call this first in a program. `progress` is called after each of the
// steps_of() steps.
std::vector<Runtime> measure_runtimes(const std::vector<NetworkCase>& cases, const RuntimeOptions& options,
                                      const std::function<void()>& progress = nullptr);
int steps_of(const std::vector<NetworkCase>& cases, const RuntimeOptions& options);
// Not available for other devices.
bool measures_memory(const RuntimeOptions& options);

// The median over the rounds of the ratio of training step times.
double ratio(const Runtime& network, const Runtime& reference);

// A row of the paper's runtime table, and its reference networks.
struct RuntimeRow {
  NetworkCase network;
  // Of runtime_networks(), or -1: the plain networks with as many parameters and with as many channels.
  int equal_parameters = -1;
  int equal_channels = -1;
  double paper_ratio = 0;  // forward + backward to the plain network, on V100s; 0: not in the paper
};

// The ten networks of the paper, then plain ones for comparison.
const std::vector<RuntimeRow>& runtime_rows();

}  // namespace gcan::experiments
