// A small network of group action layers learns a screw motion of points from examples: every layer maps
// points to points, so what it learns is a composition of rotations and translations.
#include <iostream>

#include "gcan/nn/linear.h"
#include "gcan/nn/msilu.h"

int main() {
  torch::manual_seed(1);
  const auto pga = gcan::Algebra::pga3d();
  torch::nn::Sequential network(gcan::nn::GcaLinear(pga, 1, 16), gcan::nn::MSiLU(pga, 16),
                                gcan::nn::GcaLinear(pga, 16, 1));

  // A point (x, y, z) has the coefficients (-z, y, -x) on e012, e013, e023: a turn about z, raised by a half.
  const auto turned = [](const torch::Tensor& p) {
    return torch::stack({p.select(-1, 0) - 0.5, -p.select(-1, 2), p.select(-1, 1)}, -1);
  };
  torch::optim::Adam adam(network->parameters(), 1e-2);
  double loss = 0;
  for (int step = 0; step <= 600; ++step) {
    const torch::Tensor x = torch::randn({64, 1, 3});  // 64 samples of one point on three blades
    const torch::Tensor error = (network->forward(x) - turned(x)).square().sum(-1).mean();
    adam.zero_grad();
    error.backward();
    adam.step();
    loss = error.item<double>();
    if (step % 200 == 0) std::cout << "step " << step << "  error " << loss << "\n";
  }
  return loss < 1e-2 ? 0 : 1;
}
