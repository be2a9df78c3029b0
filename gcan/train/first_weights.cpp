#include "gcan/train/first_weights.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "gcan/base/error.h"
#include "gcan/train/files/checkpoint.h"
#include "gcan/train/loop/optimizer.h"

namespace gcan::train {
namespace {

std::string shape_text(const torch::Tensor& tensor) {
  return fmt::format("({})", fmt::join(tensor.sizes(), ", "));
}

// By name, with averages instead of weights.
std::map<std::string, torch::Tensor> weights_there(const Snapshot& snapshot) {
  std::map<std::string, torch::Tensor> weights(snapshot.weights.begin(), snapshot.weights.end());
  for (const auto& [name, tensor] : snapshot.average) weights[name] = tensor;
  return weights;
}

std::string listed(const std::vector<std::string>& sentences) {
  constexpr std::size_t kShown = 4;
  const std::vector<std::string> shown(
      sentences.begin(), sentences.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, sentences.size())));
  std::string text = fmt::format("{}", fmt::join(shown, ", "));
  if (sentences.size() > kShown) text += fmt::format(" and {} more", sentences.size() - kShown);
  return text;
}

}  // namespace

TakenWeights take_weights(const Start& start, torch::nn::Module& network) {
  const Config there = run_config(start.from);
  const Snapshot snapshot = CheckpointFolder(start.from).read_weights(to_string(start.checkpoint));
  const auto weights = weights_there(snapshot);
  const torch::NoGradGuard no_grad;
  TakenWeights result{snapshot.state.step, 0, {}};
  for (auto [name, tensor] : weights_of(network)) {
    const auto found = weights.find(name);
    if (found == weights.end()) {
      result.random.push_back(fmt::format("{} is missing", name));
    } else if (found->second.sizes() != tensor.sizes()) {
      result.random.push_back(
          fmt::format("{} is {} there and {} here", name, shape_text(found->second), shape_text(tensor)));
    } else {
      tensor.copy_(found->second);
      ++result.taken;
    }
  }
  if (result.taken > 0) return result;
  throw Error(fmt::format("no weight of '{}' ({}) fits the network of the configuration: {}", start.from,
                          there.network().title, listed(result.random)));
}

std::string start_sentence(const Start& start, const TakenWeights& taken) {
  std::string text = fmt::format("starting from the {} checkpoint (step {}) of '{}'",
                                 to_string(start.checkpoint), taken.step, start.from);
  if (taken.random.empty()) return text + ": all weights fit";
  return text + fmt::format(": {} of {} tensors fit, the others start from random weights: {}", taken.taken,
                            taken.taken + taken.random.size(), listed(taken.random));
}

}  // namespace gcan::train
