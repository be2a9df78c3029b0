// The convolution of all convolutional layers, by CPU kernels if they support it; padding may differ between
// dimensions.

#include <torch/library.h>

#include "gcan/base/error.h"
#include "gcan/nn/detail/action_recipe.h"
#include "gcan/nn/detail/checks.h"
#include "gcan/nn/detail/functions.h"
#include "gcan/operators/autocast.h"
#include "gcan/operators/differentiable.h"
#include "gcan/operators/plans.h"

namespace gcan::operators {
namespace {

using Ints = at::IntArrayRef;
using nn::AssembledKernel;
using nn::ConvolutionSettings;
using nn::Padding;
using Three = std::tuple<Tensor, Tensor, Tensor>;

constexpr const char* kLayer = "gcan::convolution";

// x is (N, channels, space...) or (N, channels, blades, space...); `modes` are values of enum Padding.
using Operator = Tensor(const Tensor&, const Tensor&, const Tensor&, Ints, Ints, Ints, Ints, std::int64_t,
                        bool, Ints, bool);
using Gradients = Three(const Tensor&, const Tensor&, const Tensor&, const Tensor&, Ints, Ints, Ints, Ints,
                        std::int64_t, bool, Ints, bool, std::array<bool, 3>);

ConvolutionSettings settings_of(Ints stride, Ints padding, Ints dilation, Ints modes, std::int64_t groups,
                                bool transposed, Ints output_padding, bool bfloat16) {
  const std::size_t n = modes.size();
  if (n < 1 || stride.size() != n || padding.size() != n || dilation.size() != n ||
      (!output_padding.empty() && output_padding.size() != n)) {
    throw Error(std::string(kLayer) +
                " got lists of different lengths for stride, padding, dilation and modes");
  }
  ConvolutionSettings s{stride.vec(), padding.vec(), dilation.vec(),       {},
                        groups,       transposed,    output_padding.vec(), bfloat16};
  for (const std::int64_t mode : modes) {
    if (mode < 0 || mode > static_cast<std::int64_t>(Padding::reflect)) {
      throw Error(std::string(kLayer) + " got a padding mode " + std::to_string(mode) +
                  ", expected 0, 1 or 2");
    }
    s.modes.push_back(static_cast<Padding>(mode));
  }
  return s;
}

// `kernel` are the kernel's sizes.
void check_input(const Tensor& x, Ints kernel, const ConvolutionSettings& s) {
  const auto n = static_cast<std::int64_t>(s.modes.size());
  const bool blades = x.dim() == n + 3;
  const std::int64_t channels = blades ? x.size(1) * x.size(2) : x.dim() > 1 ? x.size(1) : 0;
  const bool fits = static_cast<std::int64_t>(kernel.size()) == n + 2;
  const std::int64_t expected = !fits ? 0 : s.transposed ? kernel[0] : kernel[1] * s.groups;
  if (fits && (blades || x.dim() == n + 2) && channels == expected) return;
  throw Error(std::string(kLayer) + " got a tensor of shape " + nn::detail::shape_text(x.sizes()) +
              " and a kernel of shape " + nn::detail::shape_text(kernel) + "; expected " + std::to_string(n) +
              " dimensions of space and " + std::to_string(expected) + " numbers of all channels and blades");
}

AssembledKernel made_of(const Tensor& x, const Tensor& kernel, const Tensor& bias) {
  AssembledKernel made{kernel, or_none(bias)};
  if (kernel.scalar_type() == x.scalar_type()) return made;
  made.kernel = kernel.to(x.scalar_type());
  if (made.bias.defined()) made.bias = made.bias.to(x.scalar_type());
  return made;
}

Tensor convolve(const Tensor& x, const Tensor& kernel, const Tensor& bias, Ints stride, Ints padding,
                Ints dilation, Ints modes, std::int64_t groups, bool transposed, Ints output_padding,
                bool bfloat16) {
  const auto s = settings_of(stride, padding, dilation, modes, groups, transposed, output_padding, bfloat16);
  check_input(x, kernel.sizes(), s);
  return nn::detail::convolve_with(kLayer, x, s, made_of(x, kernel.contiguous(), bias)).contiguous();
}

Three gradients_on_cpu(const Tensor& grad, const Tensor& x, const Tensor& kernel, const Tensor& bias,
                       Ints stride, Ints padding, Ints dilation, Ints modes, std::int64_t groups,
                       bool transposed, Ints output_padding, bool bfloat16, std::array<bool, 3> wanted) {
  const auto s = settings_of(stride, padding, dilation, modes, groups, transposed, output_padding, bfloat16);
  check_input(x, kernel.sizes(), s);
  wanted[2] = wanted[2] && bias.numel() > 0;
  const bool with_blades = x.dim() == static_cast<std::int64_t>(modes.size()) + 3;
  const Tensor whole = kernel.contiguous();
  const auto way = nn::detail::way_of(with_blades ? x.flatten(1, 2) : x, whole, s);
  auto found =
      nn::detail::convolution_backward(kLayer, grad.contiguous(), x, s, {whole, or_none(bias)}, way, wanted);
  const auto given = [&](std::size_t i, const Tensor& like) {
    return wanted[i] ? found[i].to(like.scalar_type()).contiguous() : torch::empty({0}, like.options());
  };
  return {given(0, x), given(1, kernel), given(2, bias)};
}

std::vector<c10::SymInt> result_sizes(const Tensor& x, c10::SymIntArrayRef kernel, Ints stride, Ints padding,
                                      Ints dilation, std::int64_t groups, bool transposed,
                                      Ints output_padding) {
  const std::size_t n = stride.size(), head = static_cast<std::size_t>(x.dim()) - n;
  std::vector<c10::SymInt> sizes = x.sym_sizes().vec();
  c10::SymInt channels = transposed ? kernel[1] * groups : kernel[0];
  if (head == 3) channels = channels / sizes[2];
  sizes[1] = channels;
  for (std::size_t i = 0; i < n; ++i) {
    const c10::SymInt reach = (kernel[i + 2] - 1) * dilation[i] + 1;
    const c10::SymInt in = sizes[head + i];
    sizes[head + i] = transposed ? (in - 1) * stride[i] - 2 * padding[i] + reach +
                                       (output_padding.empty() ? 0 : output_padding[i])
                                 : (in + 2 * padding[i] - reach) / stride[i] + 1;
  }
  return sizes;
}

Tensor result_shape(const Tensor& x, const Tensor& kernel, const Tensor& /*bias*/, Ints stride, Ints padding,
                    Ints dilation, Ints /*modes*/, std::int64_t groups, bool transposed, Ints output_padding,
                    bool /*bfloat16*/) {
  return x.new_empty_symint(
      result_sizes(x, kernel.sym_sizes(), stride, padding, dilation, groups, transposed, output_padding));
}

Three gradient_shapes(const Tensor& /*grad*/, const Tensor& x, const Tensor& kernel, const Tensor& bias,
                      Ints /*stride*/, Ints /*padding*/, Ints /*dilation*/, Ints /*modes*/,
                      std::int64_t /*groups*/, bool /*transposed*/, Ints /*output_padding*/,
                      bool /*bfloat16*/, std::array<bool, 3> wanted) {
  const auto given = [&](std::size_t i, const Tensor& like) {
    return wanted[i] ? torch::empty_like(like, torch::MemoryFormat::Contiguous) : like.new_empty({0});
  };
  return {given(0, x), given(1, kernel), given(2, bias)};
}

Tensor with_gradients(const Tensor& x, const Tensor& kernel, const Tensor& bias, Ints stride, Ints padding,
                      Ints dilation, Ints modes, std::int64_t groups, bool transposed, Ints output_padding,
                      bool bfloat16) {
  if (!served(x) || kernel.scalar_type() != x.scalar_type()) {
    return convolve(x, kernel, bias, stride, padding, dilation, modes, groups, transposed, output_padding,
                    bfloat16);
  }
  struct Lists {
    std::vector<std::int64_t> stride, padding, dilation, modes, output_padding;
  };
  const auto n = std::make_shared<const Lists>(
      Lists{stride.vec(), padding.vec(), dilation.vec(), modes.vec(), output_padding.vec()});
  auto function = c10::make_intrusive<Differentiable>();
  function->forward = [=](const variable_list& in) -> variable_list {
    static const auto handle = operator_named<Operator>("gcan::convolution");
    return {handle.call(in[0], in[1], in[2], n->stride, n->padding, n->dilation, n->modes, groups, transposed,
                        n->output_padding, bfloat16)};
  };
  function->backward = [=](const Tensor& grad, const variable_list& s,
                           const std::vector<bool>& wanted) -> variable_list {
    static const auto handle = operator_named<Gradients>("gcan::convolution_backward");
    const auto [dx, dk, db] =
        handle.call(grad, s[0], s[1], s[2], n->stride, n->padding, n->dilation, n->modes, groups, transposed,
                    n->output_padding, bfloat16, {wanted[0], wanted[1], wanted[2]});
    return {dx, dk, db};
  };
  function->by_tensors = [=](const variable_list& in) {
    return convolve(in[0], in[1], in[2], n->stride, n->padding, n->dilation, n->modes, groups, transposed,
                    n->output_padding, bfloat16);
  };
  return apply(std::move(function), {x, kernel, bias})[0];
}

Tensor in_reduced_precision(const Tensor& x, const Tensor& kernel, const Tensor& bias, Ints stride,
                            Ints padding, Ints dilation, Ints modes, std::int64_t groups, bool transposed,
                            Ints output_padding, bool bfloat16) {
  const c10::impl::ExcludeDispatchKeyGuard below(kAutocastKeys);
  static const auto handle = operator_named<Operator>("gcan::convolution");
  return handle.call(reduced(x), reduced(kernel), reduced(bias), stride, padding, dilation, modes, groups,
                     transposed, output_padding, bfloat16);
}

// ---- group actions and convolution in one call ------------------------------------------------------------

// The convolution with the kernel of gcan::action_kernel, plus `add` (of the result's shape) unless it is
// empty. delta and bias may be empty, too.
Tensor in_parts(const Tensor& x, const Tensor& action, const Tensor& weight, const Tensor& delta,
                const Tensor& bias, const Tensor& add, Ints plan, double eps, Ints stride, Ints padding,
                Ints dilation, Ints modes, std::int64_t groups, bool transposed, Ints output_padding,
                bool bfloat16) {
  using KernelOperator =
      std::tuple<Tensor, Tensor>(const Tensor&, const Tensor&, const Tensor&, Ints, double);
  static const auto assemble = operator_named<KernelOperator>("gcan::action_kernel");
  static const auto convolution = operator_named<Operator>("gcan::convolution");
  const auto [kernel, shift] = assemble.call(action, weight, delta, plan, eps);
  Tensor whole = bias.dim() > 1 ? bias.flatten() : bias;
  if (bias.dim() < 2) {
    whole = shift;
  } else if (delta.dim() > 1) {
    whole = shift + whole;
  }
  const Tensor y = convolution.call(x, kernel, whole, stride, padding, dilation, modes, groups, transposed,
                                    output_padding, bfloat16);
  return add.dim() > 1 ? y + add : y;
}

// Whether nothing but autograd concerns a call with this tensor: no tracing, compilation or other
// transformation, and no autocast.
bool is_plain(const Tensor& x) {
  using Key = c10::DispatchKey;
  const c10::DispatchKeySet usual(
      {Key::CPU, Key::AutogradCPU, Key::ADInplaceOrView, Key::BackendSelect, Key::AutocastCPU});
  const auto given = (x.key_set() | c10::impl::tls_local_dispatch_key_set().included_) - usual;
  return given.highestFunctionalityKey() == Key::Undefined && !nn::detail::autocast_type(x.device());
}

// By the autograd function of the C++ layers, which needs fewer steps than two operators.
Tensor action_convolution(const Tensor& x, const Tensor& action, const Tensor& weight, const Tensor& delta,
                          const Tensor& bias, const Tensor& add, Ints plan, double eps, Ints stride,
                          Ints padding, Ints dilation, Ints modes, std::int64_t groups, bool transposed,
                          Ints output_padding, bool bfloat16) {
  const auto same = [&](const Tensor& t) { return t.scalar_type() == x.scalar_type() && is_plain(t); };
  if (!served(x) || !same(x) || !same(action) || !same(weight) || !same(delta) || !same(bias) || !same(add)) {
    return in_parts(x, action, weight, delta, bias, add, plan, eps, stride, padding, dilation, modes, groups,
                    transposed, output_padding, bfloat16);
  }
  const auto s = settings_of(stride, padding, dilation, modes, groups, transposed, output_padding, bfloat16);
  const auto kernel = kernel_of(plan, eps, weight.sizes());
  const std::vector<std::int64_t> sizes = kernel->kernel_sizes();
  check_input(x, sizes, s);
  if (add.numel() > 0) {
    const std::vector<c10::SymInt> of_kernel(sizes.begin(), sizes.end());
    const auto expected =
        result_sizes(x, of_kernel, stride, padding, dilation, groups, transposed, output_padding);
    if (!c10::SymIntArrayRef(expected).equals(add.sym_sizes())) {
      throw Error("gcan::action_convolution got a tensor of shape " + nn::detail::shape_text(add.sizes()) +
                  " to add, which is not its result's");
    }
  }
  const nn::Recipe recipe =
      nn::detail::action_recipe(kernel, action, weight, or_none(delta), or_none(bias), kLayer);
  const auto wanted = [](const Tensor& t) { return t.requires_grad(); };
  const bool gradients = torch::GradMode::is_enabled() && (wanted(x) || wanted(action) || wanted(weight) ||
                                                           wanted(delta) || wanted(bias) || wanted(add));
  const Tensor y = gradients ? nn::detail::convolve(kLayer, x, s, recipe, {}, or_none(add))
                             : nn::detail::convolve_with(kLayer, x, s, recipe.make(), or_none(add));
  return y.contiguous();
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(gcan, library) {
  library.def(
      "convolution(Tensor x, Tensor kernel, Tensor bias, int[] stride, int[] padding, int[] dilation, int[] "
      "modes, int "
      "groups, bool transposed, int[] output_padding, bool bfloat16) -> Tensor");
  library.def(
      "convolution_backward(Tensor grad, Tensor x, Tensor kernel, Tensor bias, int[] stride, int[] padding, "
      "int[] "
      "dilation, int[] modes, int groups, bool transposed, int[] output_padding, bool bfloat16, bool[3] "
      "wanted) -> "
      "(Tensor, Tensor, Tensor)");
  library.def(
      "action_convolution(Tensor x, Tensor action, Tensor weight, Tensor delta, Tensor bias, Tensor add, "
      "int[] plan, float eps, int[] stride, int[] padding, int[] dilation, int[] modes, int groups, bool "
      "transposed, int[] output_padding, bool bfloat16) -> Tensor");
}
TORCH_LIBRARY_IMPL(gcan, CPU, library) {
  library.impl("convolution", convolve);
  library.impl("convolution_backward", gradients_on_cpu);
}
TORCH_LIBRARY_IMPL(gcan, Meta, library) {
  library.impl("convolution", result_shape);
  library.impl("convolution_backward", gradient_shapes);
}
TORCH_LIBRARY_IMPL(gcan, CompositeExplicitAutograd, library) { library.impl("convolution", convolve); }
TORCH_LIBRARY_IMPL(gcan, Autograd, library) { library.impl("convolution", with_gradients); }
TORCH_LIBRARY_IMPL(gcan, CompositeImplicitAutograd, library) { library.impl("action_convolution", in_parts); }
TORCH_LIBRARY_IMPL(gcan, AutogradCPU, library) { library.impl("action_convolution", action_convolution); }
TORCH_LIBRARY_IMPL(gcan, AutocastCPU, library) { library.impl("convolution", in_reduced_precision); }
TORCH_LIBRARY_IMPL(gcan, AutocastCUDA, library) { library.impl("convolution", in_reduced_precision); }

}  // namespace gcan::operators
