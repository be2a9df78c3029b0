#pragma once

#include "gcan/models/fluid/fluid_network.h"

namespace gcan::models {

// The residual network of the paper's fluid experiments: 1x1 convolutions to the hidden channels, blocks at
// one resolution, 1x1 convolutions back. The families differ at the ends as the released networks do:
//   plain     conv act conv act | pad | blocks | crop | conv act conv, all with bias
//   Clifford  act conv          | pad | blocks | crop | conv, without bias
//   GCA       conv act conv           | blocks |        conv act conv, without bias
// The grid is padded with 9 rows and columns of zeros, along dimensions that are not circular.
//
//   FluidSettings settings(Family::gca);
//   auto network = std::make_shared<ResNet>("GCA-ResNet", settings);
//   network->forward(x);                       // (N, 4, 3, H, W) -> (N, 1, 3, H, W)
class ResNet : public FluidNetwork {
 public:
  ResNet(std::string title, FluidSettings settings);

 private:
  [[nodiscard]] torch::Tensor run(const torch::Tensor& x) override;

  std::array<std::int64_t, 2> outer_{};  // rows and columns of zeros at the bottom and right
  const Layer *conv_in1_ = nullptr, *act1_ = nullptr, *conv_in2_ = nullptr;
  const Layer *conv_out1_ = nullptr, *act2_ = nullptr, *conv_out2_ = nullptr;
  std::vector<std::shared_ptr<ResidualBlock>> blocks_;
};

}  // namespace gcan::models
