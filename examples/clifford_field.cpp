// Pressure and wind on a periodic grid as multivectors of G(2,0,0), through a block of Clifford layers.

#include <iostream>

#include "gcan/nn/clifford_conv.h"
#include "gcan/nn/clifford_norm.h"

int main() {
  torch::manual_seed(0);
  const gcan::Algebra g2(2);
  const torch::Tensor pressure = torch::randn({2, 4, 1, 32, 64});  // 4 frames as channels
  const torch::Tensor wind = torch::randn({2, 4, 2, 32, 64});
  // The blades are 1, e1, e2, e12; the last one is unused.
  const torch::Tensor x = torch::cat({pressure, wind, torch::zeros_like(pressure)}, 2);

  auto block = torch::nn::Sequential(
      gcan::nn::CliffordConv2d(
          gcan::nn::CliffordConv2dOptions(g2, 4, 16, 3).padding(1).padding_mode(torch::kCircular)),
      gcan::nn::CliffordGroupNorm(g2, 1, 16), torch::nn::GELU(),
      gcan::nn::CliffordConv2d(
          gcan::nn::CliffordConv2dOptions(g2, 16, 1, 3).padding(1).padding_mode(torch::kCircular)));
  const torch::Tensor y = block->forward(x);
  std::cout << block << "\n" << x.sizes() << " -> " << y.sizes() << "\n";
  return y.sizes() == torch::IntArrayRef{2, 1, 4, 32, 64} ? 0 : 1;
}
