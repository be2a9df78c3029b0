// A network of group actions learns how a screw motion moves points.
#include <iostream>

#include "gcan/nn.h"

int main() {
  torch::manual_seed(1);
  const auto pga = gcan::Algebra::pga3d();
  torch::nn::Sequential network(gcan::nn::GcaLinear(pga, 1, 16), gcan::nn::MSiLU(pga, 16),
                                gcan::nn::GcaLinear(pga, 16, 1));

  torch::optim::Adam adam(network->parameters(), 1e-2);
  for (int step = 0; step <= 400; ++step) {
    const auto x = torch::randn({64, 1, 3});
    const auto y = torch::stack({x.select(2, 0) - 0.5, -x.select(2, 2), x.select(2, 1)}, 2);
    const auto loss = torch::mse_loss(network->forward(x), y);
    adam.zero_grad();
    loss.backward();
    adam.step();
    if (step % 100 == 0) std::cout << "step " << step << "  loss " << loss.item<float>() << "\n";
  }
  torch::save(network, "network.pt");
}
