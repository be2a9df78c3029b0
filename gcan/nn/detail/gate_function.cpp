#include "gcan/nn/detail/gate_function.h"

#include <ATen/Dispatch.h>

#include "gcan/nn/detail/autocast.h"
#include "gcan/nn/detail/features.h"
#include "gcan/nn/detail/functions.h"
#include "gcan/nn/detail/parallel.h"

namespace gcan::nn::detail {
namespace {

// Below this many positions, the kernels, which vectorise over space, would work on single values: samples
// then serve as space.
constexpr std::int64_t kFewPositions = 16;

// (N, C, B, S) -> (1, C, B, N S), contiguous, if space is short; and back.
torch::Tensor turned(const torch::Tensor& x) {
  const Features f(x);
  if (f.space >= kFewPositions) return x.contiguous();
  return x.permute({1, 2, 0, 3}).reshape({1, f.channels, f.blades, f.samples * f.space}).contiguous();
}

torch::Tensor turned_back(const torch::Tensor& y, const Features& f) {
  if (f.space >= kFewPositions) return y;
  return y.view({f.channels, f.blades, f.samples, f.space}).permute({2, 0, 1, 3}).contiguous();
}

struct GateFunction : torch::autograd::Function<GateFunction> {
  using Context = torch::autograd::AutogradContext;
  using List = torch::autograd::variable_list;

  static torch::Tensor forward(Context* context, const torch::Tensor& x, const torch::Tensor& weight,
                               const torch::Tensor& bias, const Grades& parts) {
    context->save_for_backward({x, weight, bias});
    context->saved_data["parts"] = to_ivalue(parts);
    return gate_forward(x, weight, bias, parts);
  }

  static List backward(Context* context, const List& gradients) {
    const List saved = context->get_saved_variables();
    const Grades parts = to_grades(context->saved_data["parts"]);
    if (torch::GradMode::is_enabled()) {
      List result = differentiable_gradients(
          [&](const List& in) { return gate_with_tensors(in[0], in[1], in[2], parts); }, saved, gradients[0]);
      result.emplace_back();
      return result;
    }
    List result = gate_backward(gradients[0], saved[0], saved[1], saved[2], parts);
    result.emplace_back();
    return result;
  }
};

}  // namespace

torch::Tensor gate_forward(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                           const Grades& parts) {
  const torch::Tensor from = turned(x);
  const torch::Tensor y = torch::empty_like(from);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "MSiLU", [&] {
    const Features f(from);
    const auto gate = kernel_gate<scalar_t>(weight, bias, parts.part_of, f.space);
    parallel_for(f.rows(), f.grain(), [&](std::size_t begin, std::size_t end) {
      kernels::gate_forward(gate, begin, end, from.data_ptr<scalar_t>(), y.data_ptr<scalar_t>());
    });
  });
  return turned_back(y, Features(x));
}

torch::autograd::variable_list gate_backward(const torch::Tensor& grad, const torch::Tensor& input,
                                             const torch::Tensor& weight, const torch::Tensor& bias,
                                             const Grades& parts) {
  const torch::Tensor x = turned(input);
  const torch::Tensor dy = turned(grad);
  const torch::Tensor dx = torch::empty_like(x);
  const Features f(x);
  const torch::Tensor sums =
      torch::empty({f.samples, f.channels, weight.size(1), f.blades + 1}, torch::dtype(torch::kDouble));
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "MSiLU", [&] {
    const auto gate = kernel_gate<scalar_t>(weight, bias, parts.part_of, f.space);
    parallel_for(f.rows(), f.grain(), [&](std::size_t begin, std::size_t end) {
      kernels::gate_backward(gate, begin, end, x.data_ptr<scalar_t>(), dy.data_ptr<scalar_t>(),
                             dx.data_ptr<scalar_t>(), sums.data_ptr<double>());
    });
  });
  const torch::Tensor sum = sums.sum(0).to(x.scalar_type());
  return {turned_back(dx, Features(input)), sum.narrow(2, 0, f.blades), sum.select(2, f.blades)};
}

torch::Tensor gate_with_tensors(const torch::Tensor& x, const torch::Tensor& weight,
                                const torch::Tensor& bias, const Grades& parts) {
  const NoAutocast in_float;
  const torch::Tensor gates = torch::sigmoid(torch::matmul(weight, x) + bias.unsqueeze(-1));
  return x * gates.index_select(2, parts.part_of_blade(x.device()));
}

torch::Tensor gate_by_kernel(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                             const Grades& parts) {
  return GateFunction::apply(x, weight, bias, parts);
}

}  // namespace gcan::nn::detail
