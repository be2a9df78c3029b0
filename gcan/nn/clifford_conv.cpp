#include "gcan/nn/clifford_conv.h"

#include <algorithm>

#include "gcan/nn/detail/autocast.h"
#include "gcan/nn/detail/checks.h"
#include "gcan/nn/detail/clifford_kernel.h"
#include "gcan/nn/detail/clifford_matrices.h"
#include "gcan/nn/detail/convolution.h"
#include "gcan/nn/detail/cpu_convolution.h"
#include "gcan/nn/detail/features.h"

namespace gcan::nn {
namespace {

template <class Options>
constexpr bool kTransposed = requires(const Options& options) {
  options.output_padding();
};

template <class Options>
std::int64_t groups_of(const Options& options) {
  if constexpr (kTransposed<Options>) {
    return 1;
  } else {
    return options.groups();
  }
}

template <class Options>
std::string text(const Options& options) {
  const auto& kernel = *options.kernel_size();
  std::string result = kTransposed<Options> ? "CliffordConvTranspose" : "CliffordConv";
  result += std::to_string(kernel.size()) + "d(" + options.algebra().to_string();
  result += ", " + std::to_string(options.in_channels()) + " -> " + std::to_string(options.out_channels());
  result += ", kernel_size=" + detail::shape_text(kernel);
  if (groups_of(options) != 1) result += ", groups=" + std::to_string(groups_of(options));
  if (options.rotation()) result += ", rotation";
  const auto& modes = options.padding_mode();
  if (std::count(modes.begin(), modes.end(), Padding::circular) == std::ssize(modes)) result += ", circular";
  return result + ")";
}

template <class Options>
void check_options(const Options& options) {
  const std::string layer = text(options);
  detail::check_channels(layer, options.in_channels(), options.out_channels(), groups_of(options));
  for (std::size_t d = 0; d < options.kernel_size()->size(); ++d) {
    if ((*options.kernel_size())[d] < 1 || (*options.stride())[d] < 1 || (*options.dilation())[d] < 1 ||
        (*options.padding())[d] < 0) {
      throw Error(layer + " needs a positive kernel size, stride and dilation and a padding of at least 0");
    }
  }
  if (options.rotation() && options.algebra() != Algebra(0, 2)) {
    throw Error(layer + " cannot rotate: the rotational layer is for G(0,2,0)");
  }
}

template <std::size_t D>
std::vector<std::int64_t> list(const torch::ExpandingArray<D>& array) {
  return {array->begin(), array->end()};
}

}  // namespace

template <std::size_t D, class Derived, class Options>
CliffordConvImpl<D, Derived, Options>::CliffordConvImpl(const Options& options_) : options(options_) {
  CliffordConvImpl::reset();
}

template <std::size_t D, class Derived, class Options>
void CliffordConvImpl<D, Derived, Options>::reset() {
  check_options(options);
  detail::check_circular(text(options), convolution(), list(options.kernel_size()));
  if (folded_) return detail::register_plain(*this, weight, bias);
  const std::int64_t n = detail::blade_count(options.algebra());
  std::vector<std::int64_t> sizes = {options.out_channels(), options.in_channels() / groups_of(options)};
  if (kTransposed<Options>) std::swap(sizes[0], sizes[1]);
  sizes.insert(sizes.end(), options.kernel_size()->begin(), options.kernel_size()->end());
  scale = this->register_parameter("scale", options.rotation() ? torch::empty(sizes) : torch::Tensor(),
                                   options.rotation());
  sizes.insert(sizes.begin() + 2, n);
  weight = this->register_parameter("weight", torch::empty(sizes));
  bias = this->register_parameter(
      "bias", options.bias() ? torch::empty({options.out_channels(), n}) : torch::Tensor(), options.bias());
  reset_parameters();
}

template <std::size_t D, class Derived, class Options>
void CliffordConvImpl<D, Derived, Options>::reset_parameters() {
  if (folded_) throw Error(text(options) + " is folded and has no multivectors to reinitialise");
  const std::int64_t fan_in = weight[0].numel();
  detail::clifford_init(weight, fan_in);
  if (bias.defined()) detail::clifford_init(bias, fan_in);
  if (scale.defined()) detail::clifford_init(scale, scale[0].numel());
}

template <std::size_t D, class Derived, class Options>
void CliffordConvImpl<D, Derived, Options>::pretty_print(std::ostream& stream) const {
  stream << "gcan::nn::" << text(options);
}

template <std::size_t D, class Derived, class Options>
torch::Tensor CliffordConvImpl<D, Derived, Options>::forward_after(const Preparation& before,
                                                                   const torch::Tensor& x,
                                                                   const torch::Tensor& add) {
  const std::int64_t n = detail::blade_count(options.algebra());
  std::vector<std::int64_t> expected = {-1, options.in_channels(), n};
  expected.insert(expected.end(), D, -1);
  detail::check_shape(text(options), x, expected);
  if (has_matrices(x)) return through_matrices(before, x, add);
  // The fused kernel checks its weight itself.
  if (!folded_ && (options.rotation() || !detail::has_kernel(weight))) {
    detail::check_finite(text(options), "entry of its weight", weight);
  }
  return detail::convolve(text(options), x, convolution(), recipe(), before, add);
}

// Half precision rounds the components on the blades, not the elements of the matrices.
template <std::size_t D, class Derived, class Options>
bool CliffordConvImpl<D, Derived, Options>::has_matrices(const torch::Tensor& x) const {
  return detail::has_matrices(options.algebra()) && !folded_ && !options.rotation() && !options.bfloat16() &&
         groups_of(options) == 1 && detail::has_kernel(x) && detail::has_kernel(weight) &&
         x.scalar_type() == weight.scalar_type() && x.numel() > 0 && !detail::wants_libtorch() &&
         !detail::autocast_type(x.device());
}

template <std::size_t D, class Derived, class Options>
torch::Tensor CliffordConvImpl<D, Derived, Options>::through_matrices(const Preparation& before,
                                                                      const torch::Tensor& x,
                                                                      const torch::Tensor& add) const {
  Recipe recipe;
  recipe.parameters = {weight};
  recipe.make = [layer = text(options), w = weight] {
    return AssembledKernel{detail::matrix_kernel(layer, w, kTransposed<Options>), {}};
  };
  recipe.gradients = [](const torch::Tensor& kernel, const torch::Tensor& /*bias*/) {
    return std::vector<torch::Tensor>{detail::matrix_weight_gradient(kernel, kTransposed<Options>)};
  };
  Preparation first;
  if (before.make) {
    first = {before.parameters,
             [make = before.make](const torch::Tensor& t) { return detail::to_matrices(make(t)); }};
  }
  const torch::Tensor y =
      detail::convolve(text(options), before.make ? x : detail::to_matrices(x), convolution(), recipe, first);
  return detail::from_matrices(y, bias, add);
}

template <std::size_t D, class Derived, class Options>
Recipe CliffordConvImpl<D, Derived, Options>::recipe() const {
  Recipe recipe;
  for (const torch::Tensor& p : {weight, bias, scale}) {
    if (p.defined()) recipe.parameters.push_back(p);
  }
  if (folded_) {
    recipe.make = [w = weight, b = bias] { return AssembledKernel{w, b}; };
    recipe.gradients = detail::gradients_of_itself(bias.defined());
    return recipe;
  }
  recipe.make = [o = options, w = weight, b = bias, s = scale] {
    const auto turned = [](const torch::Tensor& t) { return kTransposed<Options> ? t.transpose(0, 1) : t; };
    AssembledKernel made;
    if (o.rotation()) {
      made.kernel = turned(detail::clifford_rotation_kernel(turned(w), turned(s)));
    } else if (detail::has_kernel(w)) {
      made.kernel = detail::fused_clifford_kernel(text(o), o.algebra(), w, kTransposed<Options>);
    } else {
      made.kernel = turned(detail::clifford_kernel(o.algebra(), turned(w)));
    }
    if (b.defined()) made.bias = b.flatten();
    return made;
  };
  if (options.rotation() || !detail::has_kernel(weight)) return recipe;
  recipe.gradients = [o = options, w = weight, b = bias](const torch::Tensor& kernel,
                                                         const torch::Tensor& of_bias) {
    std::vector<torch::Tensor> result{
        detail::clifford_weight_gradient(o.algebra(), w, kernel, kTransposed<Options>)};
    if (b.defined()) result.push_back(of_bias.reshape(b.sizes()));
    return result;
  };
  return recipe;
}

template <std::size_t D, class Derived, class Options>
ConvolutionSettings CliffordConvImpl<D, Derived, Options>::convolution() const {
  const auto& modes = options.padding_mode();
  ConvolutionSettings settings{list(options.stride()),   list(options.padding()),
                               list(options.dilation()), {modes.begin(), modes.end()},
                               groups_of(options),       kTransposed<Options>};
  if constexpr (kTransposed<Options>) settings.output_padding = list(options.output_padding());
  settings.bfloat16 = options.bfloat16();
  return settings;
}

template <std::size_t D, class Derived, class Options>
void CliffordConvImpl<D, Derived, Options>::fold() {
  if (folded_) return;
  const torch::NoGradGuard no_grad;
  const AssembledKernel made = recipe().make();
  folded_ = true;
  this->parameters_.clear();
  weight = made.kernel;
  bias = made.bias;
  scale = torch::Tensor();
  detail::register_plain(*this, weight, bias);
}

template class CliffordConvImpl<1, CliffordConv1dImpl, CliffordConv1dOptions>;
template class CliffordConvImpl<2, CliffordConv2dImpl, CliffordConv2dOptions>;
template class CliffordConvImpl<3, CliffordConv3dImpl, CliffordConv3dOptions>;
template class CliffordConvImpl<1, CliffordConvTranspose1dImpl, CliffordConvTranspose1dOptions>;
template class CliffordConvImpl<2, CliffordConvTranspose2dImpl, CliffordConvTranspose2dOptions>;
template class CliffordConvImpl<3, CliffordConvTranspose3dImpl, CliffordConvTranspose3dOptions>;

}  // namespace gcan::nn
