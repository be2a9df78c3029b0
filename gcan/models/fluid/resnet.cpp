#include "gcan/models/fluid/resnet.h"

namespace gcan::models {

using torch::Tensor;

ResNet::ResNet(std::string title, FluidSettings settings)
    : FluidNetwork(std::move(title), std::move(settings), 1) {
  const LayerSettings& s = settings_.layers;
  const std::int64_t c = settings_.channels;
  const bool plain = s.family == Family::plain, gca = s.family == Family::gca;
  const auto conv = [&](const char* name, std::int64_t in, std::int64_t out, bool bias) {
    return &layers_.add(name, convolution(s, {in, out, 1, 1, bias}));
  };
  for (std::size_t i = 0; i < 2; ++i) outer_[i] = !gca && s.padding[i] == nn::Padding::zeros ? 9 : 0;
  conv_in1_ = conv("conv_in1", inputs(), c, !gca);
  act1_ = &layers_.add("act1", activation(s, c));
  if (plain || gca) conv_in2_ = conv("conv_in2", c, c, plain);
  const auto group = register_module("layers", std::make_shared<Group>());
  for (std::int64_t i = 0; i < settings_.blocks; ++i) {
    blocks_.push_back(group->register_module(std::to_string(i), block(c, c)));
  }
  if (plain || gca) {
    conv_out1_ = conv("conv_out1", c, c, plain);
    act2_ = &layers_.add("act2", activation(s, c));
  }
  conv_out2_ = conv("conv_out2", c, outputs(), plain);
}

Tensor ResNet::run(const Tensor& x) {
  const Family family = settings_.layers.family;
  const bool clifford = conv_in2_ == nullptr;
  Tensor h;
  if (clifford) {
    h = (*conv_in1_)((*act1_)(x));
  } else {
    h = (*conv_in2_)((*act1_)((*conv_in1_)(x)));
    if (family == Family::plain) h = torch::gelu(h);
  }
  const bool pads = outer_[0] + outer_[1] > 0;
  if (pads) h = torch::constant_pad_nd(h, {0, outer_[1], 0, outer_[0]});
  for (const auto& block : blocks_) h = block->forward(h);
  if (pads) h = h.narrow(3, 0, x.size(3)).narrow(4, 0, x.size(4)).contiguous();
  if (!clifford) h = (*act2_)((*conv_out1_)(h));
  return (*conv_out2_)(h);
}

}  // namespace gcan::models
