#include "gcan/nn/detail/clifford_matrices.h"

#include <ATen/Dispatch.h>

#include <array>
#include <functional>
#include <vector>

#include "gcan/nn/detail/checks.h"
#include "gcan/nn/detail/features.h"
#include "gcan/nn/detail/parallel.h"

namespace gcan::nn::detail {
namespace {

using torch::Tensor;
using torch::autograd::variable_list;

// Numbers that are worth a thread.
constexpr std::int64_t kNumbersPerTask = 32768;

template <class T>
void sum_and_difference(const T* __restrict u, const T* __restrict v, std::int64_t count, T* __restrict sum,
                        T* __restrict difference) {
  for (std::int64_t i = 0; i < count; ++i) {
    const T first = u[i], second = v[i];
    sum[i] = first + second;
    difference[i] = first - second;
  }
}

// The same, plus a number each and what is added.
template <class T>
void sum_and_difference(const T* __restrict u, const T* __restrict v, std::int64_t count, T* __restrict sum,
                        T* __restrict difference, std::array<T, 2> bias, const T* __restrict add_to_sum,
                        const T* __restrict add_to_difference) {
  if (add_to_sum == nullptr) {
    for (std::int64_t i = 0; i < count; ++i) {
      const T first = u[i], second = v[i];
      sum[i] = first + second + bias[0];
      difference[i] = first - second + bias[1];
    }
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const T first = u[i], second = v[i];
    sum[i] = first + second + bias[0] + add_to_sum[i];
    difference[i] = first - second + bias[1] + add_to_difference[i];
  }
}

// Where the planes of a channel's multivectors and matrices lie.
struct Planes {
  std::int64_t samples, channels, size;

  // The four blades.
  [[nodiscard]] std::int64_t blades(std::int64_t sample, std::int64_t channel) const {
    return (sample * channels + channel) * 4 * size;
  }
  // Two columns of the first row; those of the second are `row()` further on.
  [[nodiscard]] std::int64_t columns(std::int64_t sample, std::int64_t channel) const {
    return (sample * 2 * channels + channel) * 2 * size;
  }
  [[nodiscard]] std::int64_t row() const { return 2 * channels * size; }

  void each(const std::function<void(std::int64_t sample, std::int64_t channel)>& body) const {
    parallel_for(static_cast<std::size_t>(samples * channels),
                 static_cast<std::size_t>(kNumbersPerTask / (4 * size) + 1),
                 [&](std::size_t begin, std::size_t end) {
                   for (auto i = static_cast<std::int64_t>(begin); i < static_cast<std::int64_t>(end); ++i) {
                     body(i / channels, i % channels);
                   }
                 });
  }
};

std::int64_t points(const Tensor& x, std::int64_t first) {
  std::int64_t count = 1;
  for (std::int64_t d = first; d < x.dim(); ++d) count *= x.size(d);
  return count;
}

Tensor matrices_of(const Tensor& given) {
  const Tensor x = given.contiguous();
  std::vector<std::int64_t> sizes = x.sizes().vec();
  const Planes planes{sizes[0], sizes[1], points(x, 3)};
  sizes.erase(sizes.begin() + 2);
  sizes[0] *= 2;
  sizes[1] *= 2;
  const Tensor y = torch::empty(sizes, x.options().requires_grad(false));
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "to_matrices", [&] {
    const auto* from = x.data_ptr<scalar_t>();
    auto* to = y.data_ptr<scalar_t>();
    planes.each([&](std::int64_t sample, std::int64_t channel) {
      const scalar_t* s = from + planes.blades(sample, channel);
      scalar_t* first = to + planes.columns(sample, channel);
      scalar_t* second = first + planes.row();
      sum_and_difference(s, s + planes.size, planes.size, first, second + planes.size);
      sum_and_difference(s + 2 * planes.size, s + 3 * planes.size, planes.size, first + planes.size, second);
    });
  });
  return y;
}

Tensor blades_of(const Tensor& given, const Tensor& bias, const Tensor& add) {
  const Tensor y = given.contiguous(), more = add.defined() ? add.contiguous() : add;
  const Tensor constant = bias.defined() ? bias.contiguous() : bias;
  std::vector<std::int64_t> sizes = y.sizes().vec();
  sizes[0] /= 2;
  sizes[1] /= 2;
  const Planes planes{sizes[0], sizes[1], points(y, 2)};
  sizes.insert(sizes.begin() + 2, 4);
  if (more.defined()) check_shape("from_matrices", more, sizes);
  const Tensor x = torch::empty(sizes, y.options().requires_grad(false));
  AT_DISPATCH_FLOATING_TYPES(y.scalar_type(), "from_matrices", [&] {
    const auto* from = y.data_ptr<scalar_t>();
    const scalar_t* shift = constant.defined() ? constant.data_ptr<scalar_t>() : nullptr;
    const scalar_t* added = more.defined() ? more.data_ptr<scalar_t>() : nullptr;
    auto* to = x.data_ptr<scalar_t>();
    planes.each([&](std::int64_t sample, std::int64_t channel) {
      const std::int64_t size = planes.size, at = planes.blades(sample, channel);
      const scalar_t* first = from + planes.columns(sample, channel);
      const scalar_t* second = first + planes.row();
      const auto pair = [&](const scalar_t* u, const scalar_t* v, std::int64_t blade) {
        std::array<scalar_t, 2> of_pair{};
        if (shift != nullptr) of_pair = {shift[4 * channel + blade], shift[4 * channel + blade + 1]};
        scalar_t* sum = to + at + blade * size;
        const scalar_t* plus = added == nullptr ? nullptr : added + at + blade * size;
        sum_and_difference(u, v, size, sum, sum + size, of_pair, plus, plus == nullptr ? plus : plus + size);
      };
      pair(first, second + size, 0);
      pair(first + size, second, 2);
    });
  });
  return x;
}

struct ToMatrices : torch::autograd::Function<ToMatrices> {
  static Tensor forward(torch::autograd::AutogradContext* /*context*/, const Tensor& x) {
    return matrices_of(x);
  }
  static variable_list backward(torch::autograd::AutogradContext* /*context*/, const variable_list& grads) {
    return {from_matrices(grads[0])};
  }
};

// Without a bias or something to add there is an empty tensor: autograd functions of LibTorch 1.13 take no
// undefined ones.
struct FromMatrices : torch::autograd::Function<FromMatrices> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& y, const Tensor& bias,
                        const Tensor& add) {
    const auto given = [](const Tensor& t) { return t.numel() > 0 ? t : Tensor(); };
    context->saved_data["bias"] = bias.numel() > 0;
    context->saved_data["add"] = add.numel() > 0;
    return blades_of(y, given(bias), given(add));
  }
  static variable_list backward(torch::autograd::AutogradContext* context, const variable_list& grads) {
    const Tensor grad = grads[0].contiguous();
    variable_list result{to_matrices(grad), {}, {}};
    if (context->saved_data["bias"].toBool()) {
      const Tensor flat = grad.view({grad.size(0), grad.size(1), 4, -1});
      result[1] = flat.sum(torch::IntArrayRef{0, 3});
    }
    if (context->saved_data["add"].toBool()) result[2] = grad;
    return result;
  }
};

// (out, in, 4, space...) <-> (out, columns, in, rows, space...), by signed sums of the four blades. The same
// for transposed kernels, (in, rows, out, columns, space...), whose matrices are the other way round.
struct MatrixKernel : torch::autograd::Function<MatrixKernel> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& weight, bool transposed) {
    context->saved_data["transposed"] = transposed;
    return kernel_of(weight, transposed);
  }
  static variable_list backward(torch::autograd::AutogradContext* context, const variable_list& grads) {
    return {matrix_weight_gradient(grads[0], context->saved_data["transposed"].toBool()), {}};
  }

  // Calls body(first entry of the four blades, first entry of each number of the matrix, entries) for each
  // pair of channels of some rows; weight and kernel may be either of the sides.
  struct Pairs {
    std::int64_t rows, columns, positions;
    bool transposed;

    template <class Body>
    void each(const Body& body) const {
      const std::int64_t line = 2 * columns * positions;
      parallel_for(static_cast<std::size_t>(rows), static_cast<std::size_t>(kNumbersPerTask / (2 * line) + 1),
                   [&](std::size_t begin, std::size_t end) {
                     for (auto r = static_cast<std::int64_t>(begin); r < static_cast<std::int64_t>(end);
                          ++r) {
                       for (std::int64_t c = 0; c < columns; ++c) {
                         const std::int64_t at = 2 * r * line + 2 * c * positions;
                         const std::int64_t up = at + (transposed ? positions : line),
                                            low = at + (transposed ? line : positions);
                         body((r * columns + c) * 4 * positions,
                              std::array<std::int64_t, 4>{at, up, low, at + line + positions});
                       }
                     }
                   });
    }
  };

  // A tensor of these sizes, filled by body(entries of `given`, its own entries, first entry of the four
  // blades, first entry of each number of the matrix) for each pair of channels.
  template <class Body>
  static Tensor filled(const Tensor& given, const Pairs& pairs, const std::vector<std::int64_t>& sizes,
                       const Body& body) {
    const Tensor result = torch::empty(sizes, given.options().requires_grad(false));
    AT_DISPATCH_FLOATING_TYPES(given.scalar_type(), "matrix_kernel", [&] {
      const auto* from = given.data_ptr<scalar_t>();
      auto* to = result.data_ptr<scalar_t>();
      pairs.each(
          [&](std::int64_t blades, const std::array<std::int64_t, 4>& at) { body(from, to, blades, at); });
    });
    return result;
  }

  static Tensor kernel_of(const Tensor& given, bool transposed) {
    const Tensor weight = given.contiguous();
    const Pairs pairs{weight.size(0), weight.size(1), points(weight, 3), transposed};
    std::vector<std::int64_t> sizes{2 * pairs.rows, 2 * pairs.columns};
    for (std::int64_t d = 3; d < weight.dim(); ++d) sizes.push_back(weight.size(d));
    return filled(weight, pairs, sizes,
                  [n = pairs.positions](const auto* from, auto* to, std::int64_t blades, const auto& at) {
                    const auto* w = from + blades;
                    for (std::int64_t i = 0; i < n; ++i) {
                      const auto s = w[i] / 2, a = w[n + i] / 2, b = w[2 * n + i] / 2, p = w[3 * n + i] / 2;
                      to[at[0] + i] = s + a;
                      to[at[1] + i] = b + p;
                      to[at[2] + i] = b - p;
                      to[at[3] + i] = s - a;
                    }
                  });
  }

  static Tensor weight_of(const Tensor& given, bool transposed) {
    const Tensor kernel = given.contiguous();
    const Pairs pairs{kernel.size(0) / 2, kernel.size(1) / 2, points(kernel, 2), transposed};
    std::vector<std::int64_t> sizes{pairs.rows, pairs.columns, 4};
    for (std::int64_t d = 2; d < kernel.dim(); ++d) sizes.push_back(kernel.size(d));
    return filled(kernel, pairs, sizes,
                  [n = pairs.positions](const auto* from, auto* to, std::int64_t blades, const auto& at) {
                    auto* w = to + blades;
                    for (std::int64_t i = 0; i < n; ++i) {
                      w[i] = (from[at[0] + i] + from[at[3] + i]) / 2;
                      w[n + i] = (from[at[0] + i] - from[at[3] + i]) / 2;
                      w[2 * n + i] = (from[at[1] + i] + from[at[2] + i]) / 2;
                      w[3 * n + i] = (from[at[1] + i] - from[at[2] + i]) / 2;
                    }
                  });
  }
};

// The weight's gradient as a function of the kernel's, whose own gradient is the kernel again.
struct MatrixWeight : torch::autograd::Function<MatrixWeight> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& kernel, bool transposed) {
    context->saved_data["transposed"] = transposed;
    return MatrixKernel::weight_of(kernel, transposed);
  }
  static variable_list backward(torch::autograd::AutogradContext* context, const variable_list& grads) {
    return {MatrixKernel::apply(grads[0], context->saved_data["transposed"].toBool()), {}};
  }
};

}  // namespace

bool has_matrices(const Algebra& algebra) { return algebra == Algebra(2); }

Tensor to_matrices(const Tensor& x) { return ToMatrices::apply(x); }

Tensor from_matrices(const Tensor& y, const Tensor& bias, const Tensor& add) {
  const auto given = [&](const Tensor& t) { return t.defined() ? t : torch::empty({0}, y.options()); };
  return FromMatrices::apply(y, given(bias), given(add));
}

Tensor matrix_kernel(const std::string& layer, const Tensor& weight, bool transposed) {
  const Tensor kernel = MatrixKernel::apply(weight, transposed);
  // A sum of finite numbers that overflows is found by the check itself to be none.
  const torch::NoGradGuard no_grad;
  if (!torch::isfinite(kernel.sum()).item<bool>()) check_finite(layer, "entry of its weight", weight);
  return kernel;
}

Tensor matrix_weight_gradient(const Tensor& kernel, bool transposed) {
  return MatrixWeight::apply(kernel, transposed);
}

}  // namespace gcan::nn::detail
