#include "gcan/experiments/runtimes.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "gcan/base/error.h"
#include "gcan/base/statistics.h"
#include "gcan/experiments/peak_memory.h"
#include "gcan/models/registry.h"
#include "gcan/nn/detail/cpu_convolution.h"
#include "gcan/nn/device.h"
#include "gcan/train/device.h"

namespace gcan::experiments {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Waits for the device, so that the host's clock measures complete work.
void wait_for(const torch::Device& device) {
  if (device.is_cuda()) torch::cuda::synchronize(device.index());
}

models::NetworkPtr make_network(const NetworkCase& which, const torch::Device& device) {
  const models::Model& model = models::find(which.model);
  config::Options options("model", model.options);
  options.set("channels", which.channels);
  for (const std::string& setting : which.options) {
    const std::size_t equals = setting.find('=');
    options.set_text(setting.substr(0, equals), setting.substr(equals + 1));
  }
  torch::manual_seed(1);
  models::NetworkPtr network = model.make(options);
  nn::move_to(*network, device);
  return network;
}

torch::Tensor make_input(const RuntimeOptions& o, const torch::Device& device) {
  return torch::randn({o.batch, 4, 3, o.height, o.width}).to(device);
}

// One training step without the optimiser, with cleared gradients as after zero_grad().
void step(const NetworkCase& which, models::Network& network, const torch::Tensor& x, Runtime* into) {
  std::optional<nn::detail::ConvolutionWayGuard> guard;
  if (which.by_libtorch) guard.emplace(nn::detail::ConvolutionWay::libtorch);
  const auto start = Clock::now();
  const torch::Tensor loss = network.forward(x).square().mean();
  wait_for(x.device());
  const double forward = seconds_since(start);
  loss.backward();
  wait_for(x.device());
  const double both = seconds_since(start);
  for (torch::Tensor& p : network.parameters()) p.mutable_grad() = torch::Tensor();
  if (into == nullptr) return;
  into->forward.push_back(forward);
  into->backward.push_back(both - forward);
  into->both.push_back(both);
}

double peak_of(const NetworkCase& which, const RuntimeOptions& options) {
  models::NetworkPtr network;
  torch::Tensor x;
  return peak_growth(
      [&] {
        network = make_network(which, torch::kCPU);
        x = make_input(options, torch::kCPU);
      },
      [&] {
        // The second step reuses memory of the first, like all later ones.
        for (int i = 0; i < 2; ++i) step(which, *network, x, nullptr);
      });
}

}  // namespace

bool measures_memory(const RuntimeOptions& options) { return options.memory && options.device == "cpu"; }

std::string NetworkCase::title() const { return models::find(model).title + "-" + std::to_string(channels); }

int steps_of(const std::vector<NetworkCase>& cases, const RuntimeOptions& options) {
  return static_cast<int>(cases.size()) * (options.rounds + 1 + (measures_memory(options) ? 1 : 0));
}

std::vector<Runtime> measure_runtimes(const std::vector<NetworkCase>& cases, const RuntimeOptions& options,
                                      const std::function<void()>& progress) {
  std::vector<Runtime> results(cases.size());
  const auto done = [&] {
    if (progress) progress();
  };
  for (std::size_t i = 0; measures_memory(options) && i < cases.size(); ++i) {
    results[i].peak = peak_of(cases[i], options);
    done();
  }
  // Not earlier, because looking for GPUs starts threads.
  const torch::Device device = train::device_named(options.device);
  std::vector<models::NetworkPtr> networks;
  const torch::Tensor x = make_input(options, device);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    networks.push_back(make_network(cases[i], device));
    results[i].parameters = models::parameter_count(*networks[i]);
    step(cases[i], *networks[i], x, nullptr);
    done();
  }
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      step(cases[i], *networks[i], x, &results[i]);
      done();
    }
  }
  return results;
}

double ratio(const Runtime& network, const Runtime& reference) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(network.both.size(), reference.both.size()); ++i) {
    ratios.push_back(network.both[i] / reference.both[i]);
  }
  return base::median(ratios);
}

const std::vector<RuntimeRow>& runtime_rows() {
  // The paper's seconds are 0.27 for ResNet, 1.59, 1.56 and 0.33; 0.65 for UNet, 1.61, 1.59 and 1.03.
  static const std::vector<RuntimeRow> rows = {
      {{"resnet", 128}},
      {{"resnet", 144}},
      {{"cresnet", 64}, 0, 11, 1.59 / 0.27},
      {{"cresnet-rot", 64}, 1, 11, 1.56 / 0.27},
      {{"gca-resnet", 64}, 1, 10, 0.33 / 0.27},
      {{"unet", 64}},
      {{"unet", 72}},
      {{"cunet", 32}, 5, 13, 1.61 / 0.65},
      {{"cunet-rot", 32}, 6, 13, 1.59 / 0.65},
      {{"gca-unet", 32}, 6, 12, 1.03 / 0.65},
      {{"resnet", 192}},
      {{"resnet", 256}},
      {{"unet", 96}},
      {{"unet", 128}},
  };
  return rows;
}

}  // namespace gcan::experiments
