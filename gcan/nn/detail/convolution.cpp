#include "gcan/nn/detail/convolution.h"

#include <algorithm>
#include <optional>

#include "gcan/base/error.h"
#include "gcan/nn/detail/autocast.h"
#include "gcan/nn/detail/cpu_convolution.h"
#include "gcan/nn/detail/features.h"
#include "gcan/nn/detail/functions.h"
#include "gcan/nn/detail/libtorch_versions.h"
#include "gcan/nn/detail/tracing.h"

namespace gcan::nn::detail {
namespace {

using torch::Tensor;
using torch::autograd::variable_list;

// The number of padding points along space dimension i that we add ourselves: all but zeros.
std::int64_t own_padding(const ConvolutionSettings& s, std::size_t i) {
  if (s.modes[i] == Padding::zeros || s.padding[i] == 0) return 0;
  if (!s.transposed) return s.padding[i];
  // Every output point that a point beyond the edge affects.
  return (s.padding[i] + s.stride[i] - 1) / s.stride[i];
}

// Pads one dimension at a time, as the modes may differ. The convolution itself adds zeros.
Tensor padded(const std::string& layer, Tensor x, const ConvolutionSettings& s) {
  for (std::size_t i = 0; i < s.modes.size(); ++i) {
    const std::int64_t width = own_padding(s, i);
    if (width == 0) continue;
    const bool circular = s.modes[i] == Padding::circular;
    const auto dimension = static_cast<std::int64_t>(2 + i);
    const std::int64_t size = x.size(dimension);
    if (width > (circular ? size : size - 1)) {
      throw Error(layer + " got " + std::to_string(size) + " points along dimension " +
                  std::to_string(i + 1) + " of space, too few for its padding of " + std::to_string(width));
    }
    const Tensor before = x.narrow(dimension, circular ? size - width : 1, width);
    const Tensor after = x.narrow(dimension, circular ? 0 : size - 1 - width, width);
    x = circular ? torch::cat({before, x, after}, dimension)
                 : torch::cat({before.flip(dimension), x, after.flip(dimension)}, dimension);
  }
  return x;
}

// The backward of padded(): the gradient of its input, of these sizes, from that of its output.
Tensor unpadded(Tensor grad, const ConvolutionSettings& s, torch::IntArrayRef sizes) {
  for (std::size_t i = s.modes.size(); i-- > 0;) {
    const std::int64_t width = own_padding(s, i);
    if (width == 0) continue;
    const bool circular = s.modes[i] == Padding::circular;
    const auto dimension = static_cast<std::int64_t>(2 + i);
    const std::int64_t size = sizes[2 + i];
    const Tensor before = grad.narrow(dimension, 0, width),
                 after = grad.narrow(dimension, width + size, width);
    const Tensor inner = grad.narrow(dimension, width, size).clone();
    inner.narrow(dimension, circular ? size - width : 1, width)
        .add_(circular ? before : before.flip(dimension));
    inner.narrow(dimension, circular ? 0 : size - 1 - width, width)
        .add_(circular ? after : after.flip(dimension));
    grad = inner;
  }
  return grad;
}

std::vector<std::int64_t> zeros_of(const ConvolutionSettings& s) {
  std::vector<std::int64_t> zeros = s.padding;
  for (std::size_t i = 0; i < zeros.size(); ++i) {
    if (s.modes[i] != Padding::zeros && !s.transposed) zeros[i] = 0;
  }
  return zeros;
}

// The number of output points at each end of dimension i that belong to a transposed convolution's padding.
std::int64_t cropped_at(const ConvolutionSettings& s, std::size_t i) {
  return s.transposed ? own_padding(s, i) * s.stride[i] : 0;
}

Tensor cropped(Tensor y, const ConvolutionSettings& s) {
  for (std::size_t i = 0; i < s.modes.size(); ++i) {
    const std::int64_t width = cropped_at(s, i);
    const auto dimension = static_cast<std::int64_t>(2 + i);
    if (width > 0) y = y.narrow(dimension, width, y.size(dimension) - 2 * width);
  }
  return y;
}

Tensor uncropped(const Tensor& y, const ConvolutionSettings& s) {
  std::vector<std::int64_t> widths;
  for (std::size_t i = s.modes.size(); i-- > 0;) widths.insert(widths.end(), 2, cropped_at(s, i));
  const bool any = std::any_of(widths.begin(), widths.end(), [](std::int64_t w) { return w > 0; });
  return any ? torch::constant_pad_nd(y, widths) : y;
}

std::vector<std::int64_t> output_padding(const ConvolutionSettings& s) {
  return s.output_padding.empty() ? std::vector<std::int64_t>(s.modes.size(), 0) : s.output_padding;
}

torch::ScalarType type_of(const ConvolutionSettings& s, const Tensor& x) {
  const auto type = s.bfloat16 ? torch::kBFloat16 : s.type.value_or(x.scalar_type());
  const bool computed_in_float =
      s.transposed && x.is_cpu() && type == torch::kBFloat16 && !kTransposesBfloat16;
  return computed_in_float ? torch::kFloat : type;
}

// Applies autocast's type, unless bfloat16 was chosen explicitly. Double stays double, as in LibTorch's
// layers.
ConvolutionSettings under_autocast(ConvolutionSettings s, const Tensor& x) {
  if (!s.bfloat16 && x.scalar_type() != torch::kDouble) s.type = autocast_type(x.device());
  return s;
}

// The convolution of a padded input.
Tensor plain(const Tensor& h, const ConvolutionSettings& s, const AssembledKernel& made) {
  const NoAutocast explicit_types;
  const auto type = type_of(s, h);
  const Tensor bias = made.bias.defined() ? made.bias.to(type) : Tensor();
  const Tensor y = torch::convolution(h.to(type), made.kernel.to(type), bias, s.stride, zeros_of(s),
                                      s.dilation, s.transposed, output_padding(s), s.groups);
  return cropped(y.to(s.type.value_or(h.scalar_type())), s);
}

// Gradients of its input, kernel and bias; undefined where not wanted.
std::array<Tensor, 3> plain_gradients(const Tensor& grad, const Tensor& h, const ConvolutionSettings& s,
                                      const AssembledKernel& made, std::array<bool, 3> wanted) {
  const torch::NoGradGuard no_grad;
  const NoAutocast explicit_types;
  const auto zeros = zeros_of(s);
  const auto type = type_of(s, h);
  std::vector<std::int64_t> bias_sizes;
  if (made.bias.defined()) bias_sizes = made.bias.sizes().vec();
  const auto found = torch::convolution_backward(
      uncropped(grad, s).to(type), h.to(type), made.kernel.to(type),
      made.bias.defined() ? at::OptionalIntArrayRef(bias_sizes) : at::OptionalIntArrayRef(), s.stride, zeros,
      s.dilation, s.transposed, output_padding(s), s.groups, wanted);
  return {std::get<0>(found), std::get<1>(found), std::get<2>(found)};
}

// The convolution of an unpadded input, with the implementation that suits its shape.
Tensor convolved(const std::string& layer, const Tensor& h, const ConvolutionSettings& s,
                 const AssembledKernel& made, ConvolutionWay way, const Tensor& add) {
  if (way != ConvolutionWay::libtorch) return cpu_convolution(way, h, s, made, add);
  const Tensor y = plain(padded(layer, h, s), s, made);
  return add.defined() ? y + add.to(y.scalar_type()) : y;
}

// Reshapes features (N, channels, blades, space...) to (N, channels * blades, space...); others are
// unchanged.
Tensor without_blades(const Tensor& x, const ConvolutionSettings& s) {
  return x.dim() == static_cast<std::int64_t>(s.modes.size()) + 3 ? x.flatten(1, 2) : x;
}

// Reshapes the result to have blades if x has them.
Tensor with_blades_of(const Tensor& x, const Tensor& y) {
  if (y.dim() == x.dim()) return y;
  return y.unflatten(1, std::vector<std::int64_t>{y.size(1) / x.size(2), x.size(2)});
}

struct Call : torch::CustomClassHolder {
  Call(std::string layer_, ConvolutionSettings settings_, Recipe kernel_, Preparation before_)
      : layer(std::move(layer_)),
        settings(std::move(settings_)),
        kernel(std::move(kernel_)),
        before(std::move(before_)) {}

  [[nodiscard]] Tensor prepared(const Tensor& x) const { return before.make ? before.make(x) : x; }

  // The kernel for the forward pass. Small kernels are kept for the backward pass: rebuilding them costs
  // more time than the memory is worth.
  AssembledKernel make_kernel() {
    const torch::AutoGradMode with_gradients(!kernel.gradients);
    const AssembledKernel made = kernel.make();
    if (static_cast<std::size_t>(made.kernel.numel()) <= kKeptNumbers) kept = made;
    return made;
  }
  // The kernel for the backward pass, which usually runs only once.
  AssembledKernel take_kernel() {
    const torch::AutoGradMode with_gradients(!kernel.gradients);
    const AssembledKernel made = kept ? *kept : kernel.make();
    kept.reset();
    return made;
  }

  static constexpr std::size_t kKeptNumbers = std::size_t{1} << 20;
  std::string layer;
  ConvolutionSettings settings;
  Recipe kernel;
  Preparation before;
  bool adds = false;
  ConvolutionWay way = ConvolutionWay::libtorch;  // chosen in forward, reused in backward
  AutocastState autocast;                         // of the forward pass
  std::optional<AssembledKernel> kept;
};

using CallPtr = c10::intrusive_ptr<Call>;

// Gradients of a convolution's input h, kernel and bias (`found`), propagated to the tensors that h and the
// kernel were made from.
struct Wanted {
  Wanted(const Tensor& h, const AssembledKernel& made)
      : which{h.requires_grad(), made.kernel.requires_grad(),
              made.bias.defined() && made.bias.requires_grad()} {}

  [[nodiscard]] variable_list gradients(const variable_list& inputs, const Tensor& h,
                                        const AssembledKernel& made) const {
    variable_list outputs, grads;
    const auto add = [&](std::size_t i, const Tensor& output) {
      if (!which[i]) return;
      outputs.push_back(output);
      grads.push_back(found[i].to(output.scalar_type()));
    };
    add(1, made.kernel);
    add(2, made.bias);
    if (!h.is_same(inputs[0])) {
      add(0, h);
      return gradients_of(outputs, grads, inputs, false);
    }
    variable_list result = gradients_of(outputs, grads, {inputs.begin() + 1, inputs.end()}, false);
    result.insert(result.begin(), which[0] ? found[0].to(h.scalar_type()) : Tensor());
    return result;
  }

  std::array<bool, 3> which;
  std::array<Tensor, 3> found;
};

// Inputs: x, the kernel's parameters, the preparation's parameters and, last, the optional addend.
struct Convolve : torch::autograd::Function<Convolve> {
  static Tensor forward(torch::autograd::AutogradContext* context, torch::TensorList inputs,
                        const CallPtr& call) {
    const Tensor add = call->adds ? without_blades(inputs[inputs.size() - 1], call->settings) : Tensor();
    context->save_for_backward(inputs.slice(0, inputs.size() - (call->adds ? 1 : 0)).vec());
    context->saved_data["call"] = torch::IValue::make_capsule(call);
    const Tensor prepared = call->prepared(inputs[0]), h = without_blades(prepared, call->settings);
    const AssembledKernel made = call->make_kernel();
    call->way = way_of(h, made.kernel, call->settings);
    const torch::NoGradGuard no_grad;
    return with_blades_of(prepared, convolved(call->layer, h, call->settings, made, call->way, add));
  }

  static variable_list backward(torch::autograd::AutogradContext* context, const variable_list& grads) {
    const auto call = c10::static_intrusive_pointer_cast<Call>(context->saved_data["call"].toCapsule());
    const AutocastState::Scope as_forward(call->autocast);
    variable_list inputs = context->get_saved_variables();
    variable_list result;
    if (torch::GradMode::is_enabled()) {
      // Second derivatives: our kernels' gradients are not differentiable, LibTorch's are.
      const Tensor prepared = call->prepared(inputs[0]), h = without_blades(prepared, call->settings);
      const Tensor y = plain(padded(call->layer, h, call->settings), call->settings, call->kernel.make());
      result = gradients_of({with_blades_of(prepared, y)}, {grads[0]}, inputs, true);
    } else {
      result = once(*call, inputs, grads[0]);
    }
    if (call->adds) result.push_back(grads[0]);
    result.emplace_back();
    return result;
  }

  // First derivatives only, without a graph of the convolution.
  static variable_list once(Call& call, variable_list& inputs, const Tensor& grad) {
    if (call.kernel.gradients && !call.before.make) return directly(call, inputs, grad);
    const torch::AutoGradMode with_gradients(true);
    inputs[0] = inputs[0].detach().requires_grad_(inputs[0].requires_grad());
    const Tensor h = call.prepared(inputs[0]);
    const AssembledKernel made = call.take_kernel();
    if (call.kernel.gradients) return after_preparation(call, inputs, grad, h, made);
    Wanted wanted(h, made);
    wanted.found = convolution_backward(call.layer, grad, h, call.settings, made, call.way, wanted.which);
    return wanted.gradients(inputs, h, made);
  }

  // Whether gradients of kernel and bias are needed.
  static std::array<bool, 2> wanted_of(const Call& call, const AssembledKernel& made) {
    const auto& all = call.kernel.parameters;
    const bool any = std::any_of(all.begin(), all.end(), [](const Tensor& p) { return p.requires_grad(); });
    return {any, any && made.bias.defined()};
  }

  // Gradients of the kernel's parameters; undefined where not needed.
  static variable_list of_parameters(const Call& call, const AssembledKernel& made,
                                     const std::array<Tensor, 3>& found) {
    const std::size_t count = call.kernel.parameters.size();
    if (!found[1].defined()) return variable_list(count);
    const torch::NoGradGuard no_grad;
    // Their type is bfloat16 if the convolution's was.
    const auto like = [](const Tensor& grad, const Tensor& t) {
      return grad.defined() ? grad.to(t.scalar_type()) : grad;
    };
    variable_list result = call.kernel.gradients(like(found[1], made.kernel), like(found[2], made.bias));
    for (std::size_t i = 0; i < count; ++i) {
      if (!call.kernel.parameters[i].requires_grad()) result[i] = Tensor();
    }
    return result;
  }

  // Without autograd.
  static variable_list directly(Call& call, const variable_list& inputs, const Tensor& grad) {
    const Tensor& x = inputs[0];
    const AssembledKernel made = call.take_kernel();
    const auto [kernel, bias] = wanted_of(call, made);
    const auto found = convolution_backward(call.layer, grad, x, call.settings, made, call.way,
                                            {x.requires_grad(), kernel, bias});
    variable_list result{x.requires_grad() ? found[0].to(x.scalar_type()) : Tensor()};
    const variable_list parameters = of_parameters(call, made, found);
    result.insert(result.end(), parameters.begin(), parameters.end());
    return result;
  }

  // With autograd for the preparation that made h from inputs[0].
  static variable_list after_preparation(const Call& call, const variable_list& inputs, const Tensor& grad,
                                         const Tensor& h, const AssembledKernel& made) {
    const auto [kernel, bias] = wanted_of(call, made);
    const auto found = convolution_backward(call.layer, grad, h, call.settings, made, call.way,
                                            {h.requires_grad(), kernel, bias});
    variable_list result = of_parameters(call, made, found), before{inputs[0]};
    before.insert(before.end(), inputs.begin() + static_cast<std::ptrdiff_t>(1 + result.size()),
                  inputs.end());
    variable_list grads(before.size());
    if (h.requires_grad()) grads = gradients_of({h}, {found[0].to(h.scalar_type())}, before, false);
    result.insert(result.begin(), grads[0]);
    result.insert(result.end(), grads.begin() + 1, grads.end());
    return result;
  }
};

}  // namespace

std::function<std::vector<Tensor>(const Tensor&, const Tensor&)> gradients_of_itself(bool with_bias) {
  return [with_bias](const Tensor& kernel, const Tensor& bias) {
    return with_bias ? std::vector<Tensor>{kernel, bias} : std::vector<Tensor>{kernel};
  };
}

void check_circular(const std::string& layer, const ConvolutionSettings& s,
                    const std::vector<std::int64_t>& kernel_size) {
  if (!s.transposed) return;
  for (std::size_t i = 0; i < kernel_size.size(); ++i) {
    if (s.modes[i] == Padding::zeros) continue;
    const std::int64_t extra = output_padding(s)[i];
    const std::int64_t step = (kernel_size[i] - 1) * s.dilation[i] + 1 - 2 * s.padding[i] + extra;
    if (s.modes[i] == Padding::circular && extra == 0 && step == s.stride[i]) continue;
    throw Error(layer +
                " cannot be transposed with this padding: along a circular dimension the kernel less twice "
                "the padding must be the stride, and a transposed convolution cannot reflect");
  }
}

std::array<Tensor, 3> convolution_backward(const std::string& layer, const Tensor& grad, const Tensor& x,
                                           const ConvolutionSettings& s, const AssembledKernel& made,
                                           ConvolutionWay way, std::array<bool, 3> wanted) {
  const torch::NoGradGuard no_grad;
  const Tensor h = without_blades(x, s), dy = without_blades(grad, s);
  std::array<Tensor, 3> found;
  if (way == ConvolutionWay::libtorch) {
    found = plain_gradients(dy, padded(layer, h, s), s, made, wanted);
    if (wanted[0]) found[0] = unpadded(found[0].to(h.scalar_type()), s, h.sizes());
  } else {
    found = cpu_convolution_gradients(way, dy, h, s, made.kernel, wanted);
  }
  if (wanted[0]) found[0] = found[0].reshape(x.sizes());
  return found;
}

Tensor convolve_with(const std::string& layer, const Tensor& x, const ConvolutionSettings& settings,
                     const AssembledKernel& made, const Tensor& add) {
  const auto wanted = [](const Tensor& t) { return t.defined() && t.requires_grad(); };
  const bool grads =
      torch::GradMode::is_enabled() && (wanted(x) || wanted(made.kernel) || wanted(made.bias) || wanted(add));
  const Tensor h = without_blades(x, settings);
  const ConvolutionSettings s = under_autocast(settings, h);
  const auto way = grads ? ConvolutionWay::libtorch : way_of(h, made.kernel, s);
  const Tensor flat_add = add.defined() ? without_blades(add, s) : add;
  return with_blades_of(x, convolved(layer, h, s, made, way, flat_add));
}

Tensor convolve(const std::string& layer, const Tensor& x, const ConvolutionSettings& settings,
                const Recipe& kernel, const Preparation& before, const Tensor& add) {
  if (is_traced()) {
    return convolve_with(layer, before.make ? before.make(x) : x, settings, kernel.make(), add);
  }
  variable_list inputs{x};
  inputs.insert(inputs.end(), kernel.parameters.begin(), kernel.parameters.end());
  inputs.insert(inputs.end(), before.parameters.begin(), before.parameters.end());
  const auto call = c10::make_intrusive<Call>(layer, under_autocast(settings, x), kernel, before);
  call->adds = add.defined();
  if (add.defined()) inputs.push_back(add);
  return Convolve::apply(torch::TensorList(inputs), call);
}

}  // namespace gcan::nn::detail
