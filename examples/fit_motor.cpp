// Finds the rigid motion between two point sets. The unknown is a bivector, whose exponential is the motor;
// gradient descent starts at zero, the identity.

#include <iostream>

#include "gcan/nn/embed.h"
#include "gcan/nn/tensor_algebra.h"

using gcan::nn::MultivectorTensor;

int main() {
  torch::manual_seed(0);
  const auto pga = gcan::Algebra::pga3d();
  const auto points = gcan::nn::EmbedOptions(pga, gcan::nn::Object::point);
  auto embed = gcan::nn::Embed(points);
  auto extract = gcan::nn::Extract(points);
  const auto move = [&](const torch::Tensor& bivector, const torch::Tensor& x) {
    const MultivectorTensor motor = exp(MultivectorTensor(pga, pga.blades(2), bivector));
    return extract(sandwich(motor, MultivectorTensor(pga, embed->blades(), embed(x))).values());
  };

  const torch::Tensor before = torch::randn({1, 32, 3});
  const torch::Tensor after = move(torch::tensor({{{0.5, -0.3, 0.2, 0.4, -0.1, 0.6}}}), before);

  torch::Tensor bivector = torch::zeros({1, 1, 6}).requires_grad_();
  torch::optim::Adam optimizer({bivector}, torch::optim::AdamOptions(0.05));
  torch::Tensor loss;
  for (int step = 0; step < 300; ++step) {
    optimizer.zero_grad();
    loss = (move(bivector, before) - after).pow(2).mean();
    loss.backward();
    optimizer.step();
  }
  std::cout << "bivector on e01, e02, e03, e12, e13, e23:\n"
            << bivector.detach() << "\nerror " << loss.item<double>() << "\n";
  return loss.item<double>() < 1e-6 ? 0 : 1;
}
