#include "gcan/nn/msilu.h"

#include <ATen/Dispatch.h>

#include <cmath>
#include <sstream>
#include <utility>

#include "gcan/nn/detail/checks.h"
#include "gcan/nn/detail/features.h"
#include "gcan/nn/detail/functions.h"
#include "gcan/nn/detail/parallel.h"

namespace gcan::nn {

namespace {

// Below this many positions the kernels, whose vectors run over space, would work on single numbers: the
// samples then become the space.
constexpr std::int64_t kFewPositions = 16;

// (N, C, B, S) -> (1, C, B, N S), contiguous, where space is short; and back.
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
    return detail::gate_forward(x, weight, bias, parts);
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
    List result = detail::gate_backward(gradients[0], saved[0], saved[1], saved[2], parts);
    result.emplace_back();
    return result;
  }
};

std::int64_t signed_count(std::size_t count) { return static_cast<std::int64_t>(count); }

}  // namespace

torch::Tensor detail::gate_forward(const torch::Tensor& x, const torch::Tensor& weight,
                                   const torch::Tensor& bias, const Grades& parts) {
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

torch::autograd::variable_list detail::gate_backward(const torch::Tensor& slope, const torch::Tensor& input,
                                                     const torch::Tensor& weight, const torch::Tensor& bias,
                                                     const Grades& parts) {
  const torch::Tensor x = turned(input);
  const torch::Tensor dy = turned(slope);
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
  const torch::Tensor gates = torch::sigmoid(torch::matmul(weight, x) + bias.unsqueeze(-1));
  return x * gates.index_select(2, parts.part_of_blade(x.device()));
}

MSiLUImpl::MSiLUImpl(MSiLUOptions given)
    : options(std::move(given)),
      parts_(options.gates() == Gates::per_grade ? Grades(options.objects())
                                                 : Grades::together(options.objects())) {
  reset();
}

void MSiLUImpl::reset() {
  check_objects("MSiLU", options.algebra(), options.objects(), options.channels());
  if (options.aggregation() != Aggregation::linear) return;
  const auto blades = signed_count(options.objects().size());
  const double bound = 1 / std::sqrt(static_cast<double>(blades));
  weight = register_parameter(
      "weight",
      torch::empty({options.channels(), signed_count(parts_.count), blades}).uniform_(-bound, bound));
  if (!options.bias()) return;
  bias = register_parameter(
      "bias", torch::empty({options.channels(), signed_count(parts_.count)}).uniform_(-bound, bound));
}

std::string MSiLUImpl::name() const {
  std::ostringstream text;
  pretty_print(text);
  return text.str();
}

void MSiLUImpl::pretty_print(std::ostream& stream) const {
  constexpr const char* kNames[] = {"linear", "sum", "mean"};
  stream << "MSiLU(" << options.algebra().to_string() << ", " << options.channels() << " channels of "
         << objects_text(options.algebra(), options.objects()) << ", "
         << kNames[static_cast<int>(options.aggregation())] << ", one gate per "
         << (options.gates() == Gates::per_grade ? "grade" : "channel")
         << (options.aggregation() == Aggregation::linear && !options.bias() ? ", no bias)" : ")");
}

torch::Tensor MSiLUImpl::gate_weight(const torch::TensorOptions& like) const {
  if (weight.defined()) return weight.to(like);
  const auto blades = signed_count(options.objects().size());
  const double value = options.aggregation() == Aggregation::mean ? 1 / static_cast<double>(blades) : 1;
  return torch::full({options.channels(), signed_count(parts_.count), blades}, value, like);
}

torch::Tensor MSiLUImpl::gate_bias(const torch::TensorOptions& like) const {
  if (bias.defined()) return bias.to(like);
  return torch::zeros({options.channels(), signed_count(parts_.count)}, like);
}

torch::Tensor MSiLUImpl::forward(const torch::Tensor& x) {
  check_features([this] { return name(); }, x, options.channels(), options.objects().size(), weight);
  if (!has_kernel(x)) return forward_with_tensors(x);
  const auto like = torch::TensorOptions(x.device()).dtype(x.scalar_type());
  return GateFunction::apply(flat_space(x), gate_weight(like).contiguous(), gate_bias(like).contiguous(),
                             parts_)
      .view(x.sizes());
}

torch::Tensor MSiLUImpl::forward_with_tensors(const torch::Tensor& x) const {
  check_features([this] { return name(); }, x, options.channels(), options.objects().size(), weight);
  const auto like = torch::TensorOptions(x.device()).dtype(compute_type(x));
  return gate_with_tensors(flat_space(x).to(like), gate_weight(like), gate_bias(like), parts_)
      .view(x.sizes())
      .to(x.scalar_type());
}

}  // namespace gcan::nn
