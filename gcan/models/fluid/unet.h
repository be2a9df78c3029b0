#pragma once

#include "gcan/models/fluid/fluid_options.h"

namespace gcan::models {

// The UNet of the paper's fluid experiments ("modern UNet"): four resolutions with 1, 2, 4 and 8 times the
// channels, with two blocks each on the way down, two in the middle, and three each on the way up, each with
// a skip connection from one of the twelve features of the way down.
//
//   auto network = gcan::models::GcaUNet2d(gcan::models::GcaUNet2dOptions().channels(16));
//   network(x);                                // (N, 4, 3, H, W) -> (N, 1, 3, H, W), 8 | H, W
//
// Base class of UNet2d, CliffordUNet2d and GcaUNet2d.
class UNet : public FluidNetwork {
 public:
  UNet(std::string title, FluidSettings settings);

 protected:
  [[nodiscard]] torch::Tensor run(const torch::Tensor& x) override;

 private:
  // A block, or a convolution that changes the resolution.
  struct Step {
    std::shared_ptr<ResidualBlock> block;
    const Layer* resample = nullptr;
    torch::Tensor operator()(const torch::Tensor& x) const {
      return block ? block->forward(x) : (*resample)(x);
    }
  };
  struct Way {
    std::shared_ptr<LayerGroup> group = std::make_shared<LayerGroup>();
    std::vector<Step> steps = {};
  };
  void make_way_down();
  void make_way_up();
  void add_block(Way& way, std::int64_t in, std::int64_t out) const;
  void add_resample(Way& way, const ConvShape& shape) const;

  const Layer *conv1_ = nullptr, *norm_ = nullptr, *conv2_ = nullptr;
  Way down_, middle_, up_;
};

// The networks, with the paper's numbers of channels.
struct UNet2dOptions : PlainFluidOptions<UNet2dOptions> {
  UNet2dOptions() : PlainFluidOptions("UNet", 72) {}
};
class UNet2dImpl : public CloneableNetwork<UNet2dImpl, UNet> {
 public:
  explicit UNet2dImpl(const UNet2dOptions& options_ = {})
      : CloneableNetwork(options_.title(), options_.settings()), options(options_) {}

  UNet2dOptions options;
};
TORCH_MODULE(UNet2d);

struct CliffordUNet2dOptions : CliffordFluidOptions<CliffordUNet2dOptions> {
  CliffordUNet2dOptions() : CliffordFluidOptions("CUNet", 32) {}
};
class CliffordUNet2dImpl : public CloneableNetwork<CliffordUNet2dImpl, UNet> {
 public:
  explicit CliffordUNet2dImpl(const CliffordUNet2dOptions& options_ = {})
      : CloneableNetwork(options_.title(), options_.settings()), options(options_) {}

  CliffordUNet2dOptions options;
};
TORCH_MODULE(CliffordUNet2d);

struct GcaUNet2dOptions : GcaFluidOptions<GcaUNet2dOptions> {
  GcaUNet2dOptions() : GcaFluidOptions("GCA-UNet", 32) {}
};
class GcaUNet2dImpl : public CloneableNetwork<GcaUNet2dImpl, UNet> {
 public:
  explicit GcaUNet2dImpl(const GcaUNet2dOptions& options_ = {})
      : CloneableNetwork(options_.title(), options_.settings()), options(options_) {}

  GcaUNet2dOptions options;
};
TORCH_MODULE(GcaUNet2d);

}  // namespace gcan::models
