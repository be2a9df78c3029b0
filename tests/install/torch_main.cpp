// Layers and networks in an external project: built, run, folded, saved and loaded.
#include <iostream>

#include "gcan/models.h"
#include "gcan/nn.h"

int main() {
  const auto pga = gcan::Algebra::pga3d();
  torch::nn::Sequential layers(gcan::nn::GcaLinear(pga, 2, 4), gcan::nn::MSiLU(pga, 4));
  const auto y = layers->forward(torch::randn({3, 2, 3}));

  const auto options = gcan::models::GcaMlpOptions().points(4).channels(8);
  gcan::models::GcaMlp network(options), other(options);
  torch::save(network, "network.pt");
  torch::load(other, "network.pt");
  gcan::models::fold(*network);
  const auto x = torch::randn({2, 1, 4, 4, 3});
  const bool same = torch::allclose(network(x), other(x), 1e-4, 1e-5);
  std::cout << network << "\n" << y.sizes() << (same ? " same\n" : " different\n");
  return same && gcan::models::find("gca-unet").title == "GCA-UNet" ? 0 : 1;
}
