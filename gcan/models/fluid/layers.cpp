#include "gcan/models/fluid/layers.h"

#include <numeric>

#include "gcan/nn/clifford_conv.h"
#include "gcan/nn/clifford_norm.h"
#include "gcan/nn/detail/cpu_convolution.h"
#include "gcan/nn/norm_msilu.h"

namespace gcan::models {
namespace {

using nn::AssembledKernel;
using nn::ConvolutionSettings;
using nn::Preparation;
using torch::Tensor;

// A plain convolution on (N, channels * blades, height, width); LibTorch's layer holds its parameters.
struct PlainParts {
  std::shared_ptr<torch::nn::Module> module;
  Tensor weight, bias;
};

PlainParts plain_parts(const ConvShape& shape) {
  const std::int64_t padding = (shape.kernel - 1) / 2;
  if (shape.transposed) {
    torch::nn::ConvTranspose2d conv(torch::nn::ConvTranspose2dOptions(shape.in, shape.out, shape.kernel)
                                        .stride(shape.stride)
                                        .padding(padding)
                                        .bias(shape.bias));
    return {conv.ptr(), conv->weight, conv->bias};
  }
  torch::nn::Conv2d conv(torch::nn::Conv2dOptions(shape.in, shape.out, shape.kernel)
                             .stride(shape.stride)
                             .padding(padding)
                             .bias(shape.bias));
  return {conv.ptr(), conv->weight, conv->bias};
}

ConvolutionSettings convolution_settings(const LayerSettings& settings, const ConvShape& shape) {
  const std::int64_t padding = (shape.kernel - 1) / 2;
  ConvolutionSettings result{{shape.stride, shape.stride},
                             {padding, padding},
                             {1, 1},
                             {settings.padding.begin(), settings.padding.end()},
                             1,
                             shape.transposed};
  result.bfloat16 = settings.bfloat16;
  return result;
}

// Runs a plain convolution on features with any number of blades.
Layer plain_layer(const PlainParts& parts, const ConvolutionSettings& how) {
  nn::Recipe recipe;
  recipe.parameters = {parts.weight};
  if (parts.bias.defined()) recipe.parameters.push_back(parts.bias);
  recipe.make = [parts] { return AssembledKernel{parts.weight, parts.bias}; };
  recipe.gradients = nn::detail::gradients_of_itself(parts.bias.defined());
  return {parts.module, [=](const Tensor& x, const Preparation& before, const Tensor& add) {
            const Tensor h = before.make ? before.make(x) : x;
            // LibTorch's convolution has its own backward pass.
            const bool as_libtorch = !how.bfloat16 && nn::detail::wants_libtorch();
            return as_libtorch ? nn::detail::convolve_with("Conv2d", h, how, recipe.make(), add)
                               : nn::detail::convolve("Conv2d", h, how, recipe, {}, add);
          }};
}

template <class Conv>
constexpr bool kTakesPreparation = requires(Conv conv, const Preparation& before, const Tensor& x) {
  conv->forward_after(before, x);
};

template <class Conv>
Layer convolution_layer(Conv conv) {
  return {conv.ptr(), [conv](const Tensor& x, const Preparation& before, const Tensor& add) mutable {
            if constexpr (kTakesPreparation<Conv>) {
              return conv->forward_after(before, x, add);
            } else {
              const Tensor y = conv->forward(before.make ? before.make(x) : x);
              return add.defined() ? y + add : y;
            }
          }};
}

template <class Options>
Options with_shape(const LayerSettings& s, const ConvShape& shape, Options options) {
  options.stride(shape.stride).padding((shape.kernel - 1) / 2).bias(shape.bias);
  options.padding_mode(s.padding).bfloat16(s.bfloat16);
  if constexpr (requires { options.released(true); }) {
    options.objects(s.objects).released(s.released);
  } else {
    options.rotation(s.family == Family::rotational);
  }
  return options;
}

// The layer or its transposed version, depending on the shape.
template <class Conv, class ConvTranspose, class Options, class TransposeOptions>
Layer either_convolution(const LayerSettings& s, const ConvShape& shape) {
  if (shape.transposed) {
    const TransposeOptions options(s.algebra, shape.in, shape.out, shape.kernel);
    return convolution_layer(ConvTranspose(with_shape(s, shape, options)));
  }
  const Options options(s.algebra, shape.in, shape.out, shape.kernel);
  return convolution_layer(Conv(with_shape(s, shape, options)));
}

nn::MSiLUOptions gate_options(const LayerSettings& s, std::int64_t channels) {
  return nn::MSiLUOptions(s.algebra, channels)
      .objects(s.objects)
      .aggregation(s.aggregation)
      .bias(false)
      .released(s.released);
}

nn::GcaNormOptions norm_options(const LayerSettings& s, std::int64_t channels, std::int64_t groups) {
  return nn::GcaNormOptions(s.algebra, channels).objects(s.objects).groups(groups).released(s.released);
}

Algebra algebra_of(Family family) {
  if (family == Family::gca) return Algebra(3);
  return family == Family::rotational ? Algebra(0, 2) : Algebra(2);
}

std::vector<Blade> objects_of(Family family) {
  if (family == Family::plain) return {};
  return family == Family::gca ? algebra_of(family).blades(1) : algebra_of(family).blades();
}

}  // namespace

LayerSettings::LayerSettings(Family family_)
    : family(family_), algebra(algebra_of(family_)), objects(objects_of(family_)) {}

std::int64_t LayerSettings::blades() const {
  return family == Family::plain ? 1 : static_cast<std::int64_t>(objects.size());
}

Preparation Layer::preparation() const {
  return {module ? module->parameters() : std::vector<Tensor>(),
          [own = run](const Tensor& x) { return own(x, {}, {}); }};
}

Layer convolution(const LayerSettings& settings, const ConvShape& shape) {
  switch (settings.family) {
    case Family::plain: return plain_layer(plain_parts(shape), convolution_settings(settings, shape));
    case Family::gca:
      return either_convolution<nn::GcaConv2d, nn::GcaConvTranspose2d, nn::GcaConv2dOptions,
                                nn::GcaConvTranspose2dOptions>(settings, shape);
    default:
      return either_convolution<nn::CliffordConv2d, nn::CliffordConvTranspose2d, nn::CliffordConv2dOptions,
                                nn::CliffordConvTranspose2dOptions>(settings, shape);
  }
}

Layer activation(const LayerSettings& settings, std::int64_t channels) {
  if (settings.family != Family::gca) {
    return {nullptr, [](const Tensor& x, const Preparation&, const Tensor&) { return torch::gelu(x); }};
  }
  nn::MSiLU gate(gate_options(settings, channels));
  return {gate.ptr(), [gate](const Tensor& x, const Preparation&, const Tensor&) mutable { return gate(x); }};
}

Layer norm_activation(const LayerSettings& settings, std::int64_t channels, std::int64_t groups) {
  if (!settings.norm) {
    Layer layer = activation(settings, channels);
    if (!layer.module) return layer;
    // Parameters have the same names as with a norm.
    const auto group = std::make_shared<LayerGroup>();
    group->register_module("gate", layer.module);
    layer.module = group;
    return layer;
  }
  groups = std::gcd(groups, channels);
  if (settings.family == Family::gca) {
    nn::NormMSiLU layer(
        nn::NormMSiLUOptions(norm_options(settings, channels, groups), gate_options(settings, channels)));
    return {layer.ptr(),
            [layer](const Tensor& x, const Preparation&, const Tensor&) mutable { return layer(x); }};
  }
  if (settings.family == Family::plain) {
    torch::nn::GroupNorm norm(torch::nn::GroupNormOptions(groups, channels));
    return {norm.ptr(), [norm](const Tensor& x, const Preparation&, const Tensor&) mutable {
              return torch::gelu(norm(x));
            }};
  }
  nn::CliffordGroupNorm norm(nn::CliffordGroupNormOptions(settings.algebra, groups, channels));
  return {norm.ptr(), [norm](const Tensor& x, const Preparation&, const Tensor&) mutable {
            return norm->forward_and_gelu(x);
          }};
}

const Layer& LayerSet::add(const std::string& name, Layer layer) {
  if (layer.module) owner_.register_module(name, layer.module);
  layers_.push_back(std::make_unique<Layer>(std::move(layer)));
  return *layers_.back();
}

}  // namespace gcan::models
