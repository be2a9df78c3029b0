// A layer of the installed library.

#include <iostream>

#include "gcan/nn.h"

int main() {
  auto layer = gcan::nn::GcaLinear(gcan::Algebra::pga3d(), 4, 2);
  const auto y = layer(torch::randn({5, 4, 3}));
  std::cout << "(" << y.size(0) << ", " << y.size(1) << ", " << y.size(2) << ")\n";
}
