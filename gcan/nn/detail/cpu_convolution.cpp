#include "gcan/nn/detail/cpu_convolution.h"

#include <algorithm>
#include <cstdlib>

#include "gcan/base/error.h"
#include "gcan/kernels/direct_convolution.h"
#include "gcan/kernels/winograd.h"
#include "gcan/nn/detail/parallel.h"
#include "gcan/nn/detail/tensor_path.h"

namespace gcan::nn::detail {
namespace {

using kernels::DirectShape;
using kernels::WinogradShape;
using torch::Tensor;

// With fewer channels, Winograd's transforms of tiles cost more than the products they save; with fewer 4x4
// tiles, the transforms of kernels do. The limits come from an estimate of the cost.
constexpr std::int64_t kLeastChannels = 4, kLeastTiles = 4;
// The largest kernel for the direct sum, which does not spread kernel positions over registers as oneDNN
// does.
constexpr std::int64_t kLargestKernel = 4;

thread_local std::optional<ConvolutionWay> way_of_thread;

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

bool all(const std::vector<std::int64_t>& values, std::int64_t value) {
  return std::count(values.begin(), values.end(), value) == std::ssize(values);
}

// The output size along space dimension i.
std::int64_t out_size(const Tensor& x, const Tensor& kernel, const ConvolutionSettings& s, std::size_t i) {
  const auto dimension = static_cast<std::int64_t>(2 + i);
  const std::int64_t in = x.size(dimension), taps = kernel.size(dimension);
  if (!s.transposed) return (in + 2 * s.padding[i] - taps) / s.stride[i] + 1;
  if (s.modes[i] == Padding::circular) return in * s.stride[i];
  return (in - 1) * s.stride[i] - 2 * s.padding[i] + taps +
         (s.output_padding.empty() ? 0 : s.output_padding[i]);
}

// Requirements of both kernels.
bool can_be_ours(const Tensor& x, const Tensor& kernel, const ConvolutionSettings& s) {
  if (s.modes.size() != 2 || x.dim() != 4 || s.bfloat16 || s.type || s.groups != 1 || !all(s.dilation, 1))
    return false;
  if (wants_tensors() || !x.device().is_cpu() || x.scalar_type() != torch::kFloat ||
      kernel.scalar_type() != torch::kFloat) {
    return false;
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const auto dimension = static_cast<std::int64_t>(2 + i);
    const std::int64_t out = out_size(x, kernel, s, i), in = x.size(dimension);
    if (s.stride[i] > 2 || out < 1 || in < 1 || s.modes[i] == Padding::reflect) return false;
    // On a closed grid, the larger side has `stride` points for every point of the smaller side.
    if (s.modes[i] == Padding::circular && !s.transposed && out * s.stride[i] != in) return false;
    if (s.modes[i] == Padding::circular && s.padding[i] > in) return false;
  }
  return x.numel() > 0;
}

bool fits_direct(const Tensor& kernel) { return std::max(kernel.size(2), kernel.size(3)) <= kLargestKernel; }

bool fits_winograd(const Tensor& kernel, const ConvolutionSettings& s) {
  const auto pads = [&](std::size_t i) { return s.padding[i] <= (s.modes[i] == Padding::circular ? 1 : 2); };
  return !s.transposed && all(s.stride, 1) && kernel.size(2) == 3 && kernel.size(3) == 3 && pads(0) &&
         pads(1);
}

bool pays_winograd(const Tensor& x, const Tensor& kernel, const ConvolutionSettings& s) {
  const auto tiles = [&](std::size_t i) { return (out_size(x, kernel, s, i) + 3) / 4; };
  return std::min(kernel.size(0), kernel.size(1)) >= kLeastChannels &&
         x.size(0) * tiles(0) * tiles(1) >= kLeastTiles;
}

std::array<bool, 2> circular(const ConvolutionSettings& s) {
  return {s.modes[0] == Padding::circular, s.modes[1] == Padding::circular};
}

WinogradShape winograd_shape(const Tensor& x, const Tensor& kernel, const ConvolutionSettings& s) {
  return {size(x.size(0)), size(kernel.size(1)), size(kernel.size(0)),
          size(x.size(2)), size(x.size(3)),      {size(s.padding[0]), size(s.padding[1])},
          circular(s)};
}

// The shape of the convolution or, if transposed, of the convolution whose transpose it is.
DirectShape direct_shape(const Tensor& x, const Tensor& kernel, const ConvolutionSettings& s) {
  DirectShape shape{size(x.size(0)), size(kernel.size(1)), size(kernel.size(0)), {}, {}, {}, {}, {},
                    circular(s)};
  for (std::size_t i = 0; i < 2; ++i) {
    shape.size[i] = size(x.size(static_cast<std::int64_t>(2 + i)));
    shape.out_size[i] = size(out_size(x, kernel, s, i));
    shape.kernel[i] = size(kernel.size(static_cast<std::int64_t>(2 + i)));
    shape.stride[i] = size(s.stride[i]);
    shape.padding[i] = size(s.padding[i]);
  }
  if (s.transposed) std::swap(shape.size, shape.out_size);
  const bool one_point = all(s.stride, 1) && all(s.padding, 0) && kernel.size(2) * kernel.size(3) == 1;
  // One-point kernels ignore edges, so the whole plane is one row.
  if (one_point) shape.size = shape.out_size = {1, shape.size[0] * shape.size[1]};
  return shape;
}

const float* data_or_null(const Tensor& t) { return t.defined() ? t.data_ptr<float>() : nullptr; }

Tensor contiguous(const Tensor& t) { return t.defined() ? t.contiguous() : t; }

}  // namespace

const char* to_string(ConvolutionWay way) {
  switch (way) {
    case ConvolutionWay::direct: return "direct";
    case ConvolutionWay::winograd: return "winograd";
    default: return "libtorch";
  }
}

std::optional<ConvolutionWay> way_by_environment() {
  static const std::optional<ConvolutionWay> way = []() -> std::optional<ConvolutionWay> {
    const char* value = std::getenv("GCAN_CONVOLUTION");
    if (value == nullptr || std::string(value).empty()) return std::nullopt;
    for (const auto known : {ConvolutionWay::libtorch, ConvolutionWay::direct, ConvolutionWay::winograd}) {
      if (std::string(value) == to_string(known)) return known;
    }
    throw Error("GCAN_CONVOLUTION is '" + std::string(value) +
                "', expected libtorch, direct or winograd, or no value for the choice by shape");
  }();
  return way;
}

ConvolutionWayGuard::ConvolutionWayGuard(ConvolutionWay way) : before_(way_of_thread) { way_of_thread = way; }
ConvolutionWayGuard::~ConvolutionWayGuard() { way_of_thread = before_; }

bool wants_libtorch() {
  return (way_of_thread ? way_of_thread : way_by_environment()) == ConvolutionWay::libtorch;
}

ConvolutionWay way_of(const Tensor& x, const Tensor& kernel, const ConvolutionSettings& s) {
  const auto forced = way_of_thread ? way_of_thread : way_by_environment();
  if (forced == ConvolutionWay::libtorch || !can_be_ours(x, kernel, s)) return ConvolutionWay::libtorch;
  const bool winograd = fits_winograd(kernel, s), direct = fits_direct(kernel);
  if (winograd && (forced ? forced == ConvolutionWay::winograd : pays_winograd(x, kernel, s))) {
    return ConvolutionWay::winograd;
  }
  return direct && forced != ConvolutionWay::winograd ? ConvolutionWay::direct : ConvolutionWay::libtorch;
}

std::vector<std::string> way_rules() {
  const auto text = [](std::int64_t n) { return std::to_string(n); };
  return {"winograd: 3x3 without stride, for at least " + text(kLeastChannels) + " features per point and " +
              text(kLeastTiles) + " tiles of 4x4 points",
          "direct: other kernels up to " + text(kLargestKernel) + "x" + text(kLargestKernel) +
              ", with a stride of 1 or 2, also transposed",
          "libtorch: everything else (double, bfloat16, groups, dilation, one or three dimensions)"};
}

Tensor cpu_convolution(ConvolutionWay way, const Tensor& input, const ConvolutionSettings& s,
                       const AssembledKernel& made, const Tensor& given) {
  const torch::NoGradGuard no_grad;
  const Tensor x = input.contiguous(), kernel = made.kernel.contiguous(), bias = contiguous(made.bias),
               add = contiguous(given);
  const Tensor y = torch::empty(
      {x.size(0), kernel.size(s.transposed ? 1 : 0), out_size(x, kernel, s, 0), out_size(x, kernel, s, 1)});
  const auto threads = libtorch_threads();
  if (way == ConvolutionWay::winograd) {
    kernels::winograd_forward(winograd_shape(x, kernel, s), x.data_ptr<float>(), kernel.data_ptr<float>(),
                              data_or_null(bias), data_or_null(add), y.data_ptr<float>(), threads);
  } else if (s.transposed) {
    kernels::direct_input_gradient(direct_shape(x, kernel, s), x.data_ptr<float>(), kernel.data_ptr<float>(),
                                   data_or_null(bias), y.data_ptr<float>(), threads);
    if (add.defined()) y.add_(add);
  } else {
    kernels::direct_forward(direct_shape(x, kernel, s), x.data_ptr<float>(), kernel.data_ptr<float>(),
                            data_or_null(bias), data_or_null(add), y.data_ptr<float>(), threads);
  }
  return y;
}

std::array<Tensor, 3> cpu_convolution_gradients(ConvolutionWay way, const Tensor& grad, const Tensor& input,
                                                const ConvolutionSettings& s, const Tensor& given,
                                                std::array<bool, 3> wanted) {
  const torch::NoGradGuard no_grad;
  const Tensor x = input.contiguous(), dy = grad.contiguous(), kernel = given.contiguous();
  const float *px = x.data_ptr<float>(), *pdy = dy.data_ptr<float>(), *pk = kernel.data_ptr<float>();
  const auto threads = libtorch_threads();
  std::array<Tensor, 3> result;
  if (wanted[0]) result[0] = torch::empty_like(x);
  if (wanted[1]) result[1] = torch::empty_like(kernel);
  if (wanted[2]) {
    // Winograd's way has the sums of dy's tiles anyway.
    result[2] = way == ConvolutionWay::winograd && wanted[1] ? torch::empty({dy.size(1)}, dy.options())
                                                             : dy.sum({0, 2, 3});
  }
  float* dx = wanted[0] ? result[0].data_ptr<float>() : nullptr;
  float* dk = wanted[1] ? result[1].data_ptr<float>() : nullptr;
  if (way == ConvolutionWay::winograd) {
    const auto shape = winograd_shape(x, kernel, s);
    if (wanted[0]) kernels::winograd_input_gradient(shape, pdy, pk, dx, threads);
    float* dbias = wanted[2] ? result[2].data_ptr<float>() : nullptr;
    if (wanted[1]) kernels::winograd_kernel_gradient(shape, px, pdy, dk, dbias, threads);
    return result;
  }
  const auto shape = direct_shape(x, kernel, s);
  if (s.transposed) {
    // A transposed convolution swaps input and output of the underlying convolution.
    if (wanted[0]) kernels::direct_forward(shape, pdy, pk, nullptr, nullptr, dx, threads);
    if (wanted[1]) kernels::direct_kernel_gradient(shape, pdy, px, dk, threads);
  } else {
    if (wanted[0]) kernels::direct_input_gradient(shape, pdy, pk, nullptr, dx, threads);
    if (wanted[1]) kernels::direct_kernel_gradient(shape, px, pdy, dk, threads);
  }
  return result;
}

}  // namespace gcan::nn::detail
