#pragma once

#include "gcan/models/fluid/fluid_network.h"

namespace gcan::models {

// The UNet of the paper's fluid experiments ("modern UNet"): four resolutions with 1, 2, 4 and 8 times the
// channels, two blocks at each on the way down, three on the way up, each of which takes one of the twelve
// features of the way down beside its input; two blocks in the middle.
//
//   FluidSettings settings(Family::gca);
//   settings.channels = 32;
//   auto network = std::make_shared<UNet>("GCA-UNet", settings);
//   network->forward(x);                       // (N, 4, 3, H, W) -> (N, 1, 3, H, W), 8 | H, W
class UNet : public FluidNetwork {
 public:
  UNet(std::string title, FluidSettings settings);

 protected:
  [[nodiscard]] torch::Tensor run(const torch::Tensor& x) override;

 private:
  // A block, or the convolution to another resolution.
  struct Step {
    std::shared_ptr<ResidualBlock> block;
    const Layer* resample = nullptr;
    torch::Tensor operator()(const torch::Tensor& x) const {
      return block ? block->forward(x) : (*resample)(x);
    }
  };
  struct Way {
    std::shared_ptr<Group> group = std::make_shared<Group>();
    std::vector<Step> steps = {};
  };
  void make_way_down();
  void make_way_up();
  void add_block(Way& way, std::int64_t in, std::int64_t out) const;
  void add_resample(Way& way, const ConvShape& shape) const;

  const Layer *conv1_ = nullptr, *norm_ = nullptr, *conv2_ = nullptr;
  Way down_, middle_, up_;
};

}  // namespace gcan::models
