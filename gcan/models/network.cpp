#include "gcan/models/network.h"

#include "gcan/nn/device.h"

namespace gcan::models {
namespace {

using torch::Tensor;

void copy_tensors(const torch::OrderedDict<std::string, Tensor>& from,
                  torch::OrderedDict<std::string, Tensor> to, const c10::optional<torch::Device>& device) {
  for (const auto& item : from) {
    const Tensor values = device ? item.value().detach().to(*device, /*non_blocking=*/false, /*copy=*/true)
                                 : item.value().detach().clone();
    Tensor& own = to[item.key()];
    nn::replace_data(own, values);
    own.set_requires_grad(item.value().requires_grad());
  }
}

}  // namespace

void copy_state(const torch::nn::Module& from, torch::nn::Module& to,
                const c10::optional<torch::Device>& device) {
  const auto sources = from.modules(/*include_self=*/false);
  const auto copies = to.modules(/*include_self=*/false);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto* foldable = dynamic_cast<const nn::Foldable*>(sources[i].get());
    if (foldable != nullptr && foldable->is_folded()) dynamic_cast<nn::Foldable&>(*copies[i]).fold();
  }
  copy_tensors(from.named_parameters(), to.named_parameters(), device);
  copy_tensors(from.named_buffers(), to.named_buffers(), device);
  to.train(from.is_training());
  // train() also affects submodules, which follow their parent in this list.
  for (std::size_t i = 0; i < sources.size(); ++i) copies[i]->train(sources[i]->is_training());
}

}  // namespace gcan::models
