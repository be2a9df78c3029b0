#include "gcan/train/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "gcan/base/error.h"
#include "gcan/base/human.h"
#include "gcan/base/memory.h"

namespace gcan::train {
namespace {

using base::size_text;

// "model.channels (4096)": the option that determines the network's size.
std::string width_text(const Config& config) {
  for (const char* key : {"channels", "width"}) {
    if (config.model.has(key)) return fmt::format("model.{} ({})", key, config.model.integer(key));
  }
  return "the network";
}

// Copies per trained parameter besides the weights: gradient, two moments, best weights and, with averaging,
// the average and the best average.
double copies(const Config& config) { return config.train.number("ema") > 0 ? 6 : 4; }

bool refused(const std::exception& error) {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
         std::string_view(error.what()).find("can't allocate memory") != std::string_view::npos;
}

// A step without an update, during which memory peaks in backward().
void try_step(models::Network& network, Task& task, std::int64_t examples) {
  std::vector<std::int64_t> indices(static_cast<std::size_t>(examples));
  for (std::int64_t i = 0; i < examples; ++i)
    indices[static_cast<std::size_t>(i)] = i % task.size(Split::train);
  const Batch batch = task.batch(Split::train, indices, {});
  task.training_loss([&](const torch::Tensor& x) { return network.forward(x); }, batch).backward();
  for (torch::Tensor& parameter : network.parameters()) parameter.mutable_grad() = torch::Tensor();
}

// Extrapolates the activations of a batch from the peak for one and two examples.
double activations_of(models::Network& network, Task& task, std::int64_t batch, double free) {
  torch::Generator generator = at::detail::getDefaultCPUGenerator();
  const torch::Tensor random = generator.get_state();
  network.eval();
  double one = 0, two = 0;
  try {
    const base::MemoryLimit limit(free);
    try_step(network, task, 1);  // warm-up, not measured
    one = base::peak_growth_here([&] { try_step(network, task, 1); });
    if (batch > 1) two = base::peak_growth_here([&] { try_step(network, task, 2); });
  } catch (const std::exception& error) {
    if (!refused(error)) throw;
    one = std::max(one, free);
  }
  network.train();
  generator.set_state(random);
  return one + static_cast<double>(batch - 1) * std::max(0.0, two - one);
}

// Whether activations may be large: for large inputs and wide networks.
bool worth_a_trial(Task& task, std::int64_t batch, double weights, double free) {
  constexpr double kMostPerNumber = 5000, kLittle = 0.25, kWide = 2e7;
  const std::int64_t first = 0;
  const torch::Tensor input = task.batch(Split::train, std::span(&first, 1), {}).input;
  const double inputs = static_cast<double>(input.nbytes()) * static_cast<double>(batch);
  return weights > kWide || inputs * kMostPerNumber > kLittle * free;
}

}  // namespace

models::NetworkPtr make_fitting_network(const Config& config) {
  const double free = base::free_memory(), most = free / (1 + copies(config));
  try {
    const base::MemoryLimit limit(most);
    return config.make_network();
  } catch (const std::exception& error) {
    if (!refused(error)) throw;
    throw Error(fmt::format(
        "the network '{}' is too large to be trained here: its weights take more than {}, and with "
        "gradients and optimiser more than the {} that are free; reduce {}",
        config.model_name, size_text(most), size_text(free), width_text(config)));
  }
}

MemoryNeeds memory_needs(const Config& config, models::Network& network, Task& task) {
  MemoryNeeds needs;
  double trained = 0;
  for (const torch::Tensor& parameter : network.parameters()) {
    needs.weights += static_cast<double>(parameter.nbytes());
    if (parameter.requires_grad()) trained += static_cast<double>(parameter.nbytes());
  }
  needs.optimizer = copies(config) * trained;
  needs.data = static_cast<double>(task.memory());
  const std::int64_t batch = config.train.integer("batch");
  const double free = base::free_memory();
  if (worth_a_trial(task, batch, needs.weights, free))
    needs.activations = activations_of(network, task, batch, free - needs.optimizer);
  return needs;
}

void check_memory(const Config& config, const MemoryNeeds& needs, double free) {
  // The weights are already allocated.
  if (needs.total() - needs.weights <= free) return;
  const std::int64_t batch = config.train.integer("batch");
  std::string remedy = width_text(config);
  const double most = std::max({needs.optimizer, needs.activations, needs.data});
  if (most == needs.activations && batch > 1)
    remedy = fmt::format("train.batch ({}) and use train.accumulate", batch);
  if (most == needs.data) remedy = "data.memory";
  throw Error(fmt::format(
      "training needs about {} of memory: {} for the weights, {} for gradients and optimiser, {} for a batch "
      "of {} and "
      "{} for data, but {} are free; reduce {}",
      size_text(needs.total()), size_text(needs.weights), size_text(needs.optimizer),
      size_text(needs.activations), base::whole_text(batch), size_text(needs.data),
      size_text(free + needs.weights), remedy));
}

void check_memory(const Config& config, models::Network& network, Task& task) {
  check_memory(config, memory_needs(config, network, task), base::free_memory());
}

}  // namespace gcan::train
