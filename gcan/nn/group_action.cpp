#include "gcan/nn/group_action.h"

#include <algorithm>
#include <cmath>

#include "gcan/nn/detail/checks.h"

namespace gcan::nn {
namespace {

std::string text(const GroupActionLayerOptions& options) {
  std::string result = "GroupActionLayer(";
  result += std::to_string(options.in_channels()) + " -> " + std::to_string(options.out_channels());
  return result + ", group=" + detail::shape_text(options.group()) + ")";
}

}  // namespace

GroupActionLayerImpl::GroupActionLayerImpl(const GroupActionLayerOptions& options_) : options(options_) {
  reset();
}

void GroupActionLayerImpl::reset() {
  if (options.in_channels() < 1 || options.out_channels() < 1) {
    throw Error(text(options) + " needs at least one input and one output channel");
  }
  if (!options.action()) throw Error(text(options) + " needs an action");
  std::vector<std::int64_t> sizes = {options.out_channels(), options.in_channels()};
  weight = register_parameter("weight", torch::empty(sizes));
  sizes.insert(sizes.end(), options.group().begin(), options.group().end());
  group = register_parameter("group", torch::empty(sizes));
  reset_parameters();
}

void GroupActionLayerImpl::reset_parameters() {
  const torch::NoGradGuard no_grad;
  torch::nn::init::kaiming_uniform_(weight, std::sqrt(5.0));
  if (options.start()) {
    options.start()(group);
  } else {
    group.normal_();
  }
}

void GroupActionLayerImpl::pretty_print(std::ostream& stream) const {
  stream << "gcan::nn::" << text(options);
}

torch::Tensor GroupActionLayerImpl::forward(const torch::Tensor& x) {
  std::vector<std::int64_t> expected(
      static_cast<std::size_t>(x.defined() ? std::max<std::int64_t>(x.dim(), 2) : 2), -1);
  expected[1] = options.in_channels();
  detail::check_shape(text(options), x, expected);
  detail::check_finite(text(options), "entry of its group elements", group);
  const torch::Tensor acted = options.action()(group, x.unsqueeze(1));
  std::vector<std::int64_t> images = {x.size(0), options.out_channels(), options.in_channels()};
  for (std::int64_t d = 3; d < acted.dim(); ++d) images.push_back(-1);
  detail::check_shape(text(options) + ": its action", acted, images);
  std::vector<std::int64_t> weights = {options.out_channels(), options.in_channels()};
  weights.resize(static_cast<std::size_t>(acted.dim()) - 1, 1);
  return (weight.view(weights) * acted).sum(2);
}

}  // namespace gcan::nn
