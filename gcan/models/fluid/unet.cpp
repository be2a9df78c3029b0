#include "gcan/models/fluid/unet.h"

namespace gcan::models {
namespace {

// The factor between channels of successive resolutions.
constexpr std::array<std::int64_t, 4> kMultipliers = {1, 2, 2, 2};
constexpr std::int64_t kBlocks = 2;  // at each resolution on the way down
constexpr std::int64_t kGroups = 8;  // of the last norm of the plain network

}  // namespace

using torch::Tensor;

UNet::UNet(std::string title, FluidSettings settings)
    : FluidNetwork(std::move(title), std::move(settings), 8) {
  const LayerSettings& s = settings_.layers;
  const std::int64_t c = settings_.channels;
  const bool bias = s.family != Family::gca;
  conv1_ = &layers_.add("conv1", convolution(s, {inputs(), c, 3, 1, bias}));
  make_way_down();
  const std::int64_t widest = c * 8;
  add_block(middle_, widest, widest);
  add_block(middle_, widest, widest);
  make_way_up();
  register_module("down", down_.group);
  register_module("middle", middle_.group);
  register_module("up", up_.group);
  norm_ = &layers_.add("norm", norm_activation(s, c, s.family == Family::plain ? kGroups : 1));
  conv2_ = &layers_.add("conv2", convolution(s, {c, outputs(), 3, 1, bias}));
}

void UNet::add_block(Way& way, std::int64_t in, std::int64_t out) const {
  const std::string name = std::to_string(way.steps.size());
  way.steps.push_back({block(in, out)});
  way.group->register_module(name, way.steps.back().block);
}

void UNet::add_resample(Way& way, const ConvShape& shape) const {
  const std::string name = std::to_string(way.steps.size());
  way.steps.push_back({nullptr, &way.group->layers.add(name, convolution(settings_.layers, shape))});
}

void UNet::make_way_down() {
  const bool bias = settings_.layers.family != Family::gca;
  std::int64_t channels = settings_.channels;
  for (std::size_t level = 0; level < kMultipliers.size(); ++level) {
    const std::int64_t wider = channels * kMultipliers[level];
    for (std::int64_t i = 0; i < kBlocks; ++i) {
      add_block(down_, channels, wider);
      channels = wider;
    }
    if (level + 1 < kMultipliers.size()) add_resample(down_, {channels, channels, 3, 2, bias});
  }
}

void UNet::make_way_up() {
  const bool bias = settings_.layers.family != Family::gca;
  std::int64_t channels = settings_.channels * 8;
  for (std::size_t level = kMultipliers.size(); level-- > 0;) {
    for (std::int64_t i = 0; i < kBlocks; ++i) add_block(up_, 2 * channels, channels);
    const std::int64_t narrower = channels / kMultipliers[level];
    add_block(up_, channels + narrower, narrower);
    channels = narrower;
    if (level > 0) add_resample(up_, {channels, channels, 4, 2, bias, true});
  }
}

Tensor UNet::run(const Tensor& x) {
  Tensor h = (*conv1_)(x);
  std::vector<Tensor> skips{h};
  for (const Step& step : down_.steps) {
    h = step(h);
    skips.push_back(h);
  }
  for (const Step& step : middle_.steps) h = step(h);
  for (const Step& step : up_.steps) {
    if (step.block) {
      h = torch::cat({h, skips.back()}, 1);
      skips.pop_back();
    }
    h = step(h);
  }
  return after(*conv2_, *norm_, h, settings_.memory.recompute);
}

}  // namespace gcan::models
