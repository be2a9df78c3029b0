#include "gcan/nn/detail/clifford_kernel.h"

#include <ATen/Dispatch.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "gcan/nn/detail/constant.h"
#include "gcan/nn/detail/features.h"
#include "gcan/nn/detail/parallel.h"

namespace gcan::nn::detail {
namespace {

using torch::Tensor;
using torch::autograd::variable_list;

// For each pair (y, x) of blades, the blade b with x b = +-y and its sign, which is 0 where the metric is.
struct Pairs {
  explicit Pairs(const Algebra& algebra) {
    const std::vector<Blade> blades = algebra.blades();
    const std::size_t n = blades.size();
    which.resize(n * n);
    signs.resize(n * n);
    std::vector<std::size_t> place(n);
    for (std::size_t i = 0; i < n; ++i) place[blades[i]] = i;
    for (const auto& entry : algebra.product_table(Product::geometric, blades, blades)) {
      const std::size_t pair = place[entry.result.blade] * n + entry.left;
      which[pair] = static_cast<std::int64_t>(entry.right);
      signs[pair] = entry.result.sign;
    }
  }
  // Swaps the pairs to (x, y).
  void transpose(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        std::swap(which[i * n + j], which[j * n + i]);
        std::swap(signs[i * n + j], signs[j * n + i]);
      }
    }
  }

  std::vector<std::int64_t> which;
  std::vector<double> signs;
};

// A weight (rows, columns, blades, positions) and its kernel (row, blade, column, blade, positions).
struct Blocks {
  std::int64_t rows, columns, blades, positions;
  Pairs pairs;

  // Calls body(index in the weight, index in the kernel, sign) for the positions of each block of some
  // rows.
  template <class Body>
  void each(std::size_t begin, std::size_t end, const Body& body) const {
    const std::int64_t n = blades;
    for (auto row = static_cast<std::int64_t>(begin); row < static_cast<std::int64_t>(end); ++row) {
      for (std::int64_t first = 0; first < n; ++first) {
        for (std::int64_t column = 0; column < columns; ++column) {
          for (std::int64_t second = 0; second < n; ++second) {
            const auto pair = static_cast<std::size_t>(first * n + second);
            body(((row * columns + column) * n + pairs.which[pair]) * positions,
                 (((row * n + first) * columns + column) * n + second) * positions, pairs.signs[pair]);
          }
        }
      }
    }
  }
  void over_rows(const std::function<void(std::size_t, std::size_t)>& body) const {
    constexpr std::int64_t kNumbers = 32768;  // the least worth a thread
    const std::int64_t row = columns * blades * blades * positions;
    parallel_for(static_cast<std::size_t>(rows), static_cast<std::size_t>(kNumbers / row + 1), body);
  }
};

// Passes common numbers of positions as constants, so that loops over them are unrolled.
template <class Work>
void with_positions(std::int64_t positions, const Work& work) {
  switch (positions) {
    case 1: return work(std::integral_constant<std::int64_t, 1>());
    case 9: return work(std::integral_constant<std::int64_t, 9>());
    case 16: return work(std::integral_constant<std::int64_t, 16>());
    default: return work(positions);
  }
}

// Whether all values are finite. Non-finite values have all exponent bits set.
template <class T>
bool all_finite(const T* numbers, std::int64_t count) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits kExponent = sizeof(T) == 4 ? Bits{0x7f800000} : static_cast<Bits>(0x7ff0000000000000);
  bool finite = true;
  for (std::int64_t i = 0; i < count; ++i) {
    finite &= (std::bit_cast<Bits>(numbers[i]) & kExponent) != kExponent;
  }
  return finite;
}

struct BlocksHolder : torch::CustomClassHolder {
  BlocksHolder(Algebra algebra_, bool transposed_, Blocks blocks_)
      : algebra(std::move(algebra_)), transposed(transposed_), blocks(std::move(blocks_)) {}
  Algebra algebra;
  bool transposed;
  Blocks blocks;
};
using BlocksPtr = c10::intrusive_ptr<BlocksHolder>;

struct AssembleClifford : torch::autograd::Function<AssembleClifford> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& given,
                        const std::string& layer, const BlocksPtr& holder) {
    const Blocks& blocks = holder->blocks;
    const Tensor weight = given.contiguous();
    std::vector<std::int64_t> sizes = {blocks.rows * blocks.blades, blocks.columns * blocks.blades};
    for (std::int64_t d = 3; d < weight.dim(); ++d) sizes.push_back(weight.size(d));
    const Tensor kernel = torch::empty(sizes, weight.options().requires_grad(false));
    std::atomic<bool> finite = true;
    AT_DISPATCH_FLOATING_TYPES(weight.scalar_type(), "clifford_kernel", [&] {
      const scalar_t* from = weight.data_ptr<scalar_t>();
      auto* to = kernel.data_ptr<scalar_t>();
      with_positions(blocks.positions, [&](auto positions) {
        blocks.over_rows([&](std::size_t begin, std::size_t end) {
          const auto row = blocks.columns * blocks.blades * positions;
          const auto first = static_cast<std::int64_t>(begin) * row;
          if (!all_finite(from + first, static_cast<std::int64_t>(end) * row - first)) finite = false;
          blocks.each(begin, end, [&](std::int64_t in_weight, std::int64_t in_kernel, double sign) {
            const auto factor = static_cast<scalar_t>(sign);
            for (std::int64_t p = 0; p < positions; ++p) to[in_kernel + p] = factor * from[in_weight + p];
          });
        });
      });
    });
    if (!finite) check_finite(layer, "entry of its weight", weight);
    context->save_for_backward({given});
    context->saved_data["blocks"] = torch::IValue::make_capsule(holder);
    return kernel;
  }

  static variable_list backward(torch::autograd::AutogradContext* context, const variable_list& grads) {
    const auto holder =
        c10::static_intrusive_pointer_cast<BlocksHolder>(context->saved_data["blocks"].toCapsule());
    const Tensor weight = context->get_saved_variables()[0];
    if (torch::GradMode::is_enabled()) {
      const auto turned = [&](const Tensor& t) { return holder->transposed ? t.transpose(0, 1) : t; };
      const Tensor kernel = turned(clifford_kernel(holder->algebra, turned(weight)));
      return {gradients_of({kernel}, {grads[0]}, {weight}, true)[0], {}, {}};
    }
    return {of_weight(holder->blocks, weight, grads[0]), {}, {}};
  }

  static Tensor of_weight(const Blocks& blocks, const Tensor& weight, const Tensor& given) {
    const Tensor grads = given.contiguous();
    const Tensor result = torch::empty(weight.sizes(), weight.options().requires_grad(false));
    AT_DISPATCH_FLOATING_TYPES(weight.scalar_type(), "clifford_kernel", [&] {
      const scalar_t* from = grads.data_ptr<scalar_t>();
      auto* to = result.data_ptr<scalar_t>();
      with_positions(blocks.positions, [&](auto positions) {
        blocks.over_rows([&](std::size_t begin, std::size_t end) {
          const auto row = blocks.columns * blocks.blades * positions;
          std::fill(to + static_cast<std::int64_t>(begin) * row, to + static_cast<std::int64_t>(end) * row,
                    scalar_t{0});
          blocks.each(begin, end, [&](std::int64_t in_weight, std::int64_t in_kernel, double sign) {
            const auto factor = static_cast<scalar_t>(sign);
            for (std::int64_t p = 0; p < positions; ++p) to[in_weight + p] += factor * from[in_kernel + p];
          });
        });
      });
    });
    return result;
  }
};

Blocks blocks_of(const Algebra& algebra, const Tensor& weight, bool transposed) {
  Blocks blocks{weight.size(0), weight.size(1), weight.size(2), 1, Pairs(algebra)};
  for (std::int64_t d = 3; d < weight.dim(); ++d) blocks.positions *= weight.size(d);
  if (transposed) blocks.pairs.transpose(static_cast<std::size_t>(blocks.blades));
  return blocks;
}

}  // namespace

std::int64_t blade_count(const Algebra& algebra) { return std::int64_t{1} << algebra.dimension(); }

torch::Tensor fused_clifford_kernel(const std::string& layer, const Algebra& algebra,
                                    const torch::Tensor& weight, bool transposed) {
  return AssembleClifford::apply(
      weight, layer,
      c10::make_intrusive<BlocksHolder>(algebra, transposed, blocks_of(algebra, weight, transposed)));
}

torch::Tensor clifford_weight_gradient(const Algebra& algebra, const torch::Tensor& weight,
                                       const torch::Tensor& kernel, bool transposed) {
  return AssembleClifford::of_weight(blocks_of(algebra, weight, transposed), weight, kernel);
}

torch::Tensor clifford_kernel(const Algebra& algebra, const torch::Tensor& weight) {
  const std::int64_t n = blade_count(algebra);
  const auto [which, signs] = Pairs(algebra);
  std::vector<std::int64_t> sign_sizes(static_cast<std::size_t>(weight.dim()) - 2, 1);
  sign_sizes[0] = n * n;
  const auto options = weight.options().requires_grad(false);
  torch::Tensor blocks = weight.index_select(2, constant(which, weight.device()));
  blocks = blocks * constant(signs, options).view(sign_sizes);
  const std::int64_t out = weight.size(0);
  const std::int64_t in = weight.size(1);
  std::vector<std::int64_t> sizes = {out * n, in * n};
  for (std::int64_t d = 3; d < weight.dim(); ++d) sizes.push_back(weight.size(d));
  return blocks.unflatten(2, std::vector<std::int64_t>{n, n}).transpose(1, 2).reshape(sizes);
}

torch::Tensor clifford_rotation_kernel(const torch::Tensor& weight, const torch::Tensor& scale) {
  const auto w = weight.unbind(2);
  const torch::Tensor norm = (weight * weight).sum(2).add(1e-4).sqrt();
  const auto unit = (weight / norm.unsqueeze(2)).unbind(2);
  const auto q = [&](std::size_t i) { return unit[i]; };
  // The quaternion's rotation matrix in the form 1 - 2 (...), which the released layers use; it differs if
  // the norm is not exactly 1.
  const auto diagonal = [&](std::size_t i, std::size_t j) {
    return scale * (1 - 2 * (q(i) * q(i) + q(j) * q(j)));
  };
  const auto mixed = [&](std::size_t i, std::size_t j, std::size_t k, double sign) {
    return scale * (2 * (q(i) * q(j) + sign * (q(0) * q(k))));
  };
  const torch::Tensor none = torch::zeros_like(scale);
  const auto row = [](const std::vector<torch::Tensor>& entries) { return torch::stack(entries, 2); };
  const torch::Tensor blocks = torch::stack(
      {row({w[0], -w[1], -w[2], -w[3]}), row({none, diagonal(2, 3), mixed(1, 2, 3, -1), mixed(1, 3, 2, 1)}),
       row({none, mixed(1, 2, 3, 1), diagonal(1, 3), mixed(2, 3, 1, -1)}),
       row({none, mixed(1, 3, 2, -1), mixed(2, 3, 1, 1), diagonal(1, 2)})},
      1);  // (out, 4, in, 4, space...)
  return blocks.flatten(2, 3).flatten(0, 1);
}

void register_plain(torch::nn::Module& module, torch::Tensor& weight, torch::Tensor& bias) {
  const torch::NoGradGuard no_grad;
  weight = module.register_parameter("weight", weight.detach().clone());
  bias = module.register_parameter("bias", bias.defined() ? bias.detach().clone() : bias, bias.defined());
}

void clifford_init(torch::Tensor weight, std::int64_t fan_in) {
  const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
  torch::nn::init::uniform_(std::move(weight), -bound, bound);
}

void check_channels(const std::string& layer, std::int64_t in, std::int64_t out, std::int64_t groups) {
  if (in > 0 && out > 0 && groups > 0 && in % groups == 0 && out % groups == 0) return;
  throw Error(layer + " was asked for " + std::to_string(in) + " input and " + std::to_string(out) +
              " output channels in " + std::to_string(groups) +
              " groups, expected positive numbers that the groups divide");
}

}  // namespace gcan::nn::detail
