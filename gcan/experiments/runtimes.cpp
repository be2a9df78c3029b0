#include "gcan/experiments/runtimes.h"

#include <algorithm>
#include <chrono>

#include "gcan/base/error.h"
#include "gcan/base/statistics.h"
#include "gcan/experiments/peak_memory.h"
#include "gcan/models/registry.h"

namespace gcan::experiments {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

models::NetworkPtr make_network(const NetworkCase& which) {
  const models::Model& model = models::find(which.model);
  config::Options options("model", model.options);
  options.set("channels", which.channels);
  for (const std::string& setting : which.options) {
    const std::size_t equals = setting.find('=');
    options.set_text(setting.substr(0, equals), setting.substr(equals + 1));
  }
  torch::manual_seed(1);
  return model.make(options);
}

torch::Tensor make_input(const RuntimeOptions& o) { return torch::randn({o.batch, 4, 3, o.height, o.width}); }

// One training step without the optimiser; gradients are new each time, as after zero_grad().
void step(models::Network& network, const torch::Tensor& x, Runtime* into) {
  const auto start = Clock::now();
  const torch::Tensor loss = network.forward(x).square().mean();
  const double forward = seconds_since(start);
  loss.backward();
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
        network = make_network(which);
        x = make_input(options);
      },
      [&] {
        // The second step finds the memory that the first left behind, as all later ones do.
        for (int i = 0; i < 2; ++i) step(*network, x, nullptr);
      });
}

}  // namespace

std::string NetworkCase::title() const { return models::find(model).title + "-" + std::to_string(channels); }

int steps_of(const std::vector<NetworkCase>& cases, const RuntimeOptions& options) {
  return static_cast<int>(cases.size()) * (options.rounds + 1 + (options.memory ? 1 : 0));
}

std::vector<Runtime> measure_runtimes(const std::vector<NetworkCase>& cases, const RuntimeOptions& options,
                                      const std::function<void()>& progress) {
  std::vector<Runtime> results(cases.size());
  const auto done = [&] {
    if (progress) progress();
  };
  for (std::size_t i = 0; options.memory && i < cases.size(); ++i) {
    results[i].peak = peak_of(cases[i], options);
    done();
  }
  std::vector<models::NetworkPtr> networks;
  const torch::Tensor x = make_input(options);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    networks.push_back(make_network(cases[i]));
    results[i].parameters = models::parameter_count(*networks[i]);
    step(*networks[i], x, nullptr);
    done();
  }
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      step(*networks[i], x, &results[i]);
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
