// The paper's first example of a group action layer: the affine group of the line, alpha((a, b), x) = a x +
// b, is the plain linear layer with weights w_i a_i and bias sum_i w_i b_i.

#include <iostream>

#include "gcan/nn/group_action.h"

int main() {
  torch::manual_seed(0);
  const auto affine = [](const torch::Tensor& g, const torch::Tensor& x) {
    return g.select(-1, 0) * x + g.select(-1, 1);
  };
  auto layer = gcan::nn::GroupActionLayer(8, 4, std::vector<std::int64_t>{2}, affine);
  auto plain = torch::nn::Linear(8, 4);

  const torch::NoGradGuard no_grad;
  plain->weight.copy_(layer->weight * layer->group.select(-1, 0));
  plain->bias.copy_((layer->weight * layer->group.select(-1, 1)).sum(1));

  const torch::Tensor x = torch::randn({64, 8});
  const auto difference = (layer(x) - plain(x)).abs().max().item<double>();
  std::cout << layer << " and " << plain << " differ by " << difference << " on 64 inputs.\n";
  return difference < 1e-5 ? 0 : 1;
}
