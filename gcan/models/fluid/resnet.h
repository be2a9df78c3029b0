#pragma once

#include "gcan/models/fluid/fluid_options.h"

namespace gcan::models {

// The residual network of the paper's fluid experiments: 1x1 convolutions to the hidden channels, blocks at
// one resolution, 1x1 convolutions back. The families differ at the ends like the released networks:
//   plain     conv act conv act | pad | blocks | crop | conv act conv, all with bias
//   Clifford  act conv          | pad | blocks | crop | conv, without bias
//   GCA       conv act conv           | blocks |        conv act conv, without bias
// The grid is padded with 9 rows and columns of zeros, along dimensions that are not circular.
//
//   auto network = gcan::models::GcaResNet2d(gcan::models::GcaResNet2dOptions().blocks(4));
//   network(x);                                // (N, 4, 3, H, W) -> (N, 1, 3, H, W)
//
// Base class of ResNet2d, CliffordResNet2d and GcaResNet2d.
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

// The networks, with the paper's numbers of channels.
struct ResNet2dOptions : PlainFluidOptions<ResNet2dOptions> {
  ResNet2dOptions() : PlainFluidOptions("ResNet", 144) {}
  // Residual blocks.
  TORCH_ARG(std::int64_t, blocks) = 8;

 public:
  [[nodiscard]] FluidSettings settings() const {
    FluidSettings settings = PlainFluidOptions::settings();
    settings.blocks = blocks_;
    return settings;
  }
};
class ResNet2dImpl : public CloneableNetwork<ResNet2dImpl, ResNet> {
 public:
  explicit ResNet2dImpl(const ResNet2dOptions& options_ = {})
      : CloneableNetwork(options_.title(), options_.settings()), options(options_) {}

  ResNet2dOptions options;
};
TORCH_MODULE(ResNet2d);

struct CliffordResNet2dOptions : CliffordFluidOptions<CliffordResNet2dOptions> {
  CliffordResNet2dOptions() : CliffordFluidOptions("CResNet", 64) {}
  // Residual blocks.
  TORCH_ARG(std::int64_t, blocks) = 8;

 public:
  [[nodiscard]] FluidSettings settings() const {
    FluidSettings settings = CliffordFluidOptions::settings();
    settings.blocks = blocks_;
    return settings;
  }
};
class CliffordResNet2dImpl : public CloneableNetwork<CliffordResNet2dImpl, ResNet> {
 public:
  explicit CliffordResNet2dImpl(const CliffordResNet2dOptions& options_ = {})
      : CloneableNetwork(options_.title(), options_.settings()), options(options_) {}

  CliffordResNet2dOptions options;
};
TORCH_MODULE(CliffordResNet2d);

struct GcaResNet2dOptions : GcaFluidOptions<GcaResNet2dOptions> {
  GcaResNet2dOptions() : GcaFluidOptions("GCA-ResNet", 64) {}
  // Residual blocks.
  TORCH_ARG(std::int64_t, blocks) = 8;

 public:
  [[nodiscard]] FluidSettings settings() const {
    FluidSettings settings = GcaFluidOptions::settings();
    settings.blocks = blocks_;
    return settings;
  }
};
class GcaResNet2dImpl : public CloneableNetwork<GcaResNet2dImpl, ResNet> {
 public:
  explicit GcaResNet2dImpl(const GcaResNet2dOptions& options_ = {})
      : CloneableNetwork(options_.title(), options_.settings()), options(options_) {}

  GcaResNet2dOptions options;
};
TORCH_MODULE(GcaResNet2d);

}  // namespace gcan::models
