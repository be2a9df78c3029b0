#pragma once

#include <functional>
#include <ostream>
#include <vector>

#include "gcan/torch.h"

namespace gcan::nn {

// alpha(g, x) for group elements g of shape (out, in, group...) and objects x of shape (N, 1, in, object...),
// which broadcast to (N, out, in, object...).
using GroupAction = std::function<torch::Tensor(const torch::Tensor& g, const torch::Tensor& x)>;

struct GroupActionLayerOptions {
  GroupActionLayerOptions(std::int64_t in_channels, std::int64_t out_channels,
                          std::vector<std::int64_t> group, GroupAction action)
      : in_channels_(in_channels),
        out_channels_(out_channels),
        group_(std::move(group)),
        action_(std::move(action)) {}
  TORCH_ARG(std::int64_t, in_channels);
  TORCH_ARG(std::int64_t, out_channels);
  // The shape of the parameters of one group element.
  TORCH_ARG(std::vector<std::int64_t>, group);
  TORCH_ARG(GroupAction, action);
  // Initialises the group elements; the default is a normal distribution.
  TORCH_ARG(std::function<void(torch::Tensor)>, start) = nullptr;
};

// The paper's general layer, y_o = sum_i w_oi alpha(g_oi, x_i): a learnable linear combination of the actions
// of learnable group elements, for any group and any action on any objects. It computes all out x in actions
// for each sample; specialised layers (GcaLinear for versors) are faster.
//
//   // The affine group of the line: this is the plain linear layer.
//   const auto affine = [](const torch::Tensor& g, const torch::Tensor& x) {
//     return g.select(-1, 0) * x + g.select(-1, 1);
//   };
//   auto layer = gcan::nn::GroupActionLayer(8, 4, std::vector<std::int64_t>{2}, affine);
//   layer(torch::randn({64, 8}));              // (64, 4)
class GroupActionLayerImpl : public torch::nn::Cloneable<GroupActionLayerImpl> {
 public:
  GroupActionLayerImpl(std::int64_t in_channels, std::int64_t out_channels, std::vector<std::int64_t> shape,
                       GroupAction action)
      : GroupActionLayerImpl(
            GroupActionLayerOptions(in_channels, out_channels, std::move(shape), std::move(action))) {}
  explicit GroupActionLayerImpl(const GroupActionLayerOptions& options_);
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& stream) const override;
  // (N, in, object...) -> (N, out, object...)
  torch::Tensor forward(const torch::Tensor& x);

  GroupActionLayerOptions options;
  torch::Tensor group;   // (out, in, group...)
  torch::Tensor weight;  // (out, in)
};
TORCH_MODULE(GroupActionLayer);

}  // namespace gcan::nn
