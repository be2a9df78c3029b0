#include "gcan/nn/fold.h"

namespace gcan::nn {

std::int64_t fold(torch::nn::Module& module) {
  std::int64_t count = 0;
  const auto fold_one = [&](torch::nn::Module& part) {
    auto* foldable = dynamic_cast<Foldable*>(&part);
    if (foldable == nullptr || foldable->is_folded()) return;
    foldable->fold();
    ++count;
  };
  fold_one(module);
  // Modules that are not held by a shared pointer cannot list themselves.
  for (const auto& part : module.modules(/*include_self=*/false)) fold_one(*part);
  return count;
}

}  // namespace gcan::nn
