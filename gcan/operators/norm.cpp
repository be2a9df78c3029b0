// MSiLU, and GcaNorm with or without MSiLU.

#include <torch/library.h>

#include "gcan/base/error.h"
#include "gcan/nn/detail/checks.h"
#include "gcan/nn/detail/features.h"
#include "gcan/nn/detail/functions.h"
#include "gcan/nn/detail/gate_function.h"
#include "gcan/nn/msilu.h"
#include "gcan/operators/differentiable.h"

namespace gcan::operators {
namespace {

using Ints = at::IntArrayRef;
using nn::detail::Grades;
using nn::detail::NormSettings;
using nn::detail::NormTensors;
using Three = std::tuple<Tensor, Tensor, Tensor>;
using Five = std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor>;

// The group (grade or gate) of each blade.
Grades grades_of(Ints parts) { return nn::detail::to_grades(c10::IValue(parts.vec())); }

void check_features(const char* layer, const Tensor& x, std::int64_t channels, std::size_t blades) {
  if (x.dim() >= 3 && x.size(1) == channels && x.size(2) == static_cast<std::int64_t>(blades)) return;
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(std::max<std::int64_t>(x.dim(), 3)), -1);
  sizes[1] = channels;
  sizes[2] = static_cast<std::int64_t>(blades);
  nn::detail::check_shape(layer, x, sizes);
}

Tensor like_x(const Tensor& x) { return torch::empty_like(x, torch::MemoryFormat::Contiguous); }

// ---- MSiLU: weight (channels, gates, blades), bias (channels, gates)
// ----------------------------------------

using GateOperator = Tensor(const Tensor&, const Tensor&, const Tensor&, Ints);
using GateGradients = Three(const Tensor&, const Tensor&, const Tensor&, const Tensor&, Ints);

Tensor gate_by_tensors(const Tensor& x, const Tensor& weight, const Tensor& bias, Ints parts) {
  check_features("MSiLU", x, weight.size(0), parts.size());
  const auto type = nn::detail::compute_type(x);
  return nn::detail::gate_with_tensors(nn::detail::flat_space(x).to(type), weight.to(type), bias.to(type),
                                       grades_of(parts))
      .reshape(x.sizes())
      .to(x.scalar_type());
}

Tensor gate_on_cpu(const Tensor& x, const Tensor& weight, const Tensor& bias, Ints parts) {
  if (!served(x)) return gate_by_tensors(x, weight, bias, parts);
  check_features("MSiLU", x, weight.size(0), parts.size());
  return nn::detail::gate_forward(nn::detail::flat_space(x), weight.contiguous(), bias.contiguous(),
                                  grades_of(parts))
      .view(x.sizes());
}

Tensor gate_shape(const Tensor& x, const Tensor& /*weight*/, const Tensor& /*bias*/, Ints /*parts*/) {
  return like_x(x);
}

Three gate_gradients_on_cpu(const Tensor& grad, const Tensor& x, const Tensor& weight, const Tensor& bias,
                            Ints parts) {
  const variable_list found =
      nn::detail::gate_backward(nn::detail::flat_space(grad), nn::detail::flat_space(x), weight.contiguous(),
                                bias.contiguous(), grades_of(parts));
  return {found[0].view(x.sizes()), found[1].contiguous(), found[2].contiguous()};
}

Three gate_gradient_shapes(const Tensor& /*grad*/, const Tensor& x, const Tensor& weight, const Tensor& bias,
                           Ints /*parts*/) {
  return {like_x(x), torch::empty_like(weight), torch::empty_like(bias)};
}

Tensor gate_with_gradients(const Tensor& x, const Tensor& weight, const Tensor& bias, Ints numbers) {
  if (!served(x) || weight.scalar_type() != x.scalar_type()) return gate_by_tensors(x, weight, bias, numbers);
  auto function = c10::make_intrusive<Differentiable>();
  const std::vector<std::int64_t> parts = numbers.vec();
  function->forward = [=](const variable_list& in) -> variable_list {
    static const auto handle = operator_named<GateOperator>("gcan::msilu");
    return {handle.call(in[0], in[1], in[2], parts)};
  };
  function->backward = [=](const Tensor& grad, const variable_list& s,
                           const std::vector<bool>& /*wanted*/) -> variable_list {
    static const auto handle = operator_named<GateGradients>("gcan::msilu_backward");
    const auto [dx, dw, db] = handle.call(grad, s[0], s[1], s[2], parts);
    return {dx, dw, db};
  };
  function->by_tensors = [=](const variable_list& in) { return gate_by_tensors(in[0], in[1], in[2], parts); };
  return apply(std::move(function), {x, weight, bias})[0];
}

// ---- GcaNorm
// --------------------------------------------------------------------------------------------------

// Arguments of the operator: `grades` and `gates` are the group of each blade, `scale` is a value of enum
// NormScale, which determines whether `weight` is empty, (grades) or (channels); the gate is that of MSiLU,
// or empty.
using NormOperator = Three(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, Ints,
                           Ints, std::int64_t, std::int64_t, bool, std::int64_t, double);
using NormGradients = Five(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                           const Tensor&, const Tensor&, const Tensor&, Ints, Ints, std::int64_t,
                           std::int64_t, bool, std::int64_t, double);

NormSettings settings_of(const Tensor& x, Ints grades, std::int64_t groups, bool space, std::int64_t divisor,
                         double eps) {
  if (x.dim() < 3 || groups < 1 || x.size(1) % groups != 0 || divisor < 0 || divisor > 2) {
    throw Error("GcaNorm got a tensor of shape " + nn::detail::shape_text(x.sizes()) + " and " +
                std::to_string(groups) +
                " groups; expected (*, channels, blades, *) with channels that the groups divide");
  }
  return {grades_of(grades), groups, space, static_cast<kernels::Divisor>(divisor), eps};
}

// The factors as (channels, grades).
Tensor factors(const Tensor& x, const Tensor& weight, std::int64_t scale, std::int64_t grades) {
  if (scale == 0) return torch::ones({x.size(1), grades}, x.options().requires_grad(false));
  return weight.unsqueeze(scale == 1 ? 0 : 1).expand({x.size(1), grades});
}

NormTensors tensors_of(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& gate_weight,
                       const Tensor& gate_bias, std::int64_t scale, const NormSettings& s) {
  check_features("GcaNorm", x, x.size(1), s.grades.part_of.size());
  const auto type = nn::detail::compute_type(x);
  const auto made = [&](const Tensor& t) { return t.numel() > 0 ? t.to(type).contiguous() : Tensor(); };
  const auto count = static_cast<std::int64_t>(s.grades.count);
  return {factors(x, weight, scale, count).to(type).contiguous(), made(bias), made(gate_weight),
          made(gate_bias)};
}

Tensor norm_tensors(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& gate_weight,
                    const Tensor& gate_bias, Ints grades, Ints gates, std::int64_t scale, std::int64_t groups,
                    bool space, std::int64_t divisor, double eps) {
  const NormSettings s = settings_of(x, grades, groups, space, divisor, eps);
  const NormTensors tensors = tensors_of(x, weight, bias, gate_weight, gate_bias, scale, s);
  return nn::detail::norm_with_tensors(x.to(nn::detail::compute_type(x)), tensors, s, grades_of(gates))
      .to(x.scalar_type());
}

Three norm_by_tensors(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& gate_weight,
                      const Tensor& gate_bias, Ints grades, Ints gates, std::int64_t scale,
                      std::int64_t groups, bool space, std::int64_t divisor, double eps) {
  const Tensor none = torch::empty({0}, x.options().requires_grad(false));
  return {
      norm_tensors(x, weight, bias, gate_weight, gate_bias, grades, gates, scale, groups, space, divisor, eps)
          .contiguous(),
      none, none.clone()};
}

Three norm_on_cpu(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& gate_weight,
                  const Tensor& gate_bias, Ints grades, Ints gates, std::int64_t scale, std::int64_t groups,
                  bool space, std::int64_t divisor, double eps) {
  if (!served(x) || !space) {
    return norm_by_tensors(x, weight, bias, gate_weight, gate_bias, grades, gates, scale, groups, space,
                           divisor, eps);
  }
  const NormSettings s = settings_of(x, grades, groups, space, divisor, eps);
  const NormTensors tensors = tensors_of(x, weight, bias, gate_weight, gate_bias, scale, s);
  const auto made = nn::detail::norm_forward(x.contiguous(), tensors, s, grades_of(gates));
  return {made.y, made.mean, made.inverse};
}

Three norm_shapes(const Tensor& x, const Tensor& /*weight*/, const Tensor& /*bias*/,
                  const Tensor& /*gate_weight*/, const Tensor& /*gate_bias*/, Ints grades, Ints /*gates*/,
                  std::int64_t /*scale*/, std::int64_t groups, bool space, std::int64_t /*divisor*/,
                  double /*eps*/) {
  if (!space) return {like_x(x), x.new_empty({0}), x.new_empty({0})};
  const auto count = static_cast<std::int64_t>(grades_of(grades).count);
  return {like_x(x), x.new_empty_symint({x.sym_size(0), groups, static_cast<std::int64_t>(grades.size())}),
          x.new_empty_symint({x.sym_size(0), groups, count})};
}

Five norm_gradients_on_cpu(const Tensor& grad, const Tensor& x, const Tensor& weight, const Tensor& bias,
                           const Tensor& gate_weight, const Tensor& gate_bias, const Tensor& mean,
                           const Tensor& inverse, Ints grades, Ints gates, std::int64_t scale,
                           std::int64_t groups, bool space, std::int64_t divisor, double eps) {
  const NormSettings s = settings_of(x, grades, groups, space, divisor, eps);
  const NormTensors tensors = tensors_of(x, weight, bias, gate_weight, gate_bias, scale, s);
  const variable_list found = nn::detail::norm_backward(grad.contiguous(), x.contiguous(), tensors,
                                                        {{}, mean, inverse}, s, grades_of(gates));
  const auto given = [](const Tensor& t, const Tensor& like) {
    return t.defined() ? t.contiguous() : torch::zeros_like(like);
  };
  const Tensor factor = scale == 0 ? torch::zeros_like(weight) : found[1].sum(scale == 1 ? 0 : 1);
  return {found[0], factor, given(found[2], bias), given(found[3], gate_weight), given(found[4], gate_bias)};
}

Five norm_gradient_shapes(const Tensor& /*grad*/, const Tensor& x, const Tensor& weight, const Tensor& bias,
                          const Tensor& gate_weight, const Tensor& gate_bias, const Tensor& /*mean*/,
                          const Tensor& /*inverse*/, Ints /*grades*/, Ints /*gates*/, std::int64_t /*scale*/,
                          std::int64_t /*groups*/, bool /*space*/, std::int64_t /*divisor*/, double /*eps*/) {
  return {like_x(x), torch::empty_like(weight), torch::empty_like(bias), torch::empty_like(gate_weight),
          torch::empty_like(gate_bias)};
}

Three norm_with_gradients(const Tensor& x, const Tensor& weight, const Tensor& bias,
                          const Tensor& gate_weight, const Tensor& gate_bias, Ints grade_parts,
                          Ints gate_parts, std::int64_t scale, std::int64_t groups, bool space,
                          std::int64_t divisor, double eps) {
  if (!served(x) || !space) {
    return norm_by_tensors(x, weight, bias, gate_weight, gate_bias, grade_parts, gate_parts, scale, groups,
                           space, divisor, eps);
  }
  auto function = c10::make_intrusive<Differentiable>();
  const std::vector<std::int64_t> grades = grade_parts.vec(), gates = gate_parts.vec();
  function->forward = [=](const variable_list& in) -> variable_list {
    static const auto handle = operator_named<NormOperator>("gcan::norm");
    const auto [y, mean, inverse] =
        handle.call(in[0], in[1], in[2], in[3], in[4], grades, gates, scale, groups, space, divisor, eps);
    return {y, mean, inverse};
  };
  function->backward = [=](const Tensor& grad, const variable_list& s,
                           const std::vector<bool>& /*wanted*/) -> variable_list {
    static const auto handle = operator_named<NormGradients>("gcan::norm_backward");
    const auto [dx, dw, db, dgw, dgb] = handle.call(grad, s[0], s[1], s[2], s[3], s[4], s[5], s[6], grades,
                                                    gates, scale, groups, space, divisor, eps);
    return {dx, dw, db, dgw, dgb};
  };
  function->by_tensors = [=](const variable_list& in) {
    return norm_tensors(in[0], in[1], in[2], in[3], in[4], grades, gates, scale, groups, space, divisor, eps);
  };
  const variable_list made = apply(std::move(function), {x, weight, bias, gate_weight, gate_bias});
  return {made[0], made[1], made[2]};
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(gcan, library) {
  library.def("msilu(Tensor x, Tensor weight, Tensor bias, int[] parts) -> Tensor");
  library.def(
      "msilu_backward(Tensor grad, Tensor x, Tensor weight, Tensor bias, int[] parts) -> (Tensor, Tensor, "
      "Tensor)");
  library.def(
      "norm(Tensor x, Tensor weight, Tensor bias, Tensor gate_weight, Tensor gate_bias, int[] grades, int[] "
      "gates, int "
      "scale, int groups, bool space, int divisor, float eps) -> (Tensor y, Tensor mean, Tensor inverse)");
  library.def(
      "norm_backward(Tensor grad, Tensor x, Tensor weight, Tensor bias, Tensor gate_weight, Tensor "
      "gate_bias, Tensor "
      "mean, Tensor inverse, int[] grades, int[] gates, int scale, int groups, bool space, int divisor, "
      "float eps) -> "
      "(Tensor, Tensor, Tensor, Tensor, Tensor)");
}
TORCH_LIBRARY_IMPL(gcan, CPU, library) {
  library.impl("msilu", gate_on_cpu);
  library.impl("msilu_backward", gate_gradients_on_cpu);
  library.impl("norm", norm_on_cpu);
  library.impl("norm_backward", norm_gradients_on_cpu);
}
TORCH_LIBRARY_IMPL(gcan, Meta, library) {
  library.impl("msilu", gate_shape);
  library.impl("msilu_backward", gate_gradient_shapes);
  library.impl("norm", norm_shapes);
  library.impl("norm_backward", norm_gradient_shapes);
}
TORCH_LIBRARY_IMPL(gcan, CompositeExplicitAutograd, library) {
  library.impl("msilu", gate_by_tensors);
  library.impl("norm", norm_by_tensors);
}
TORCH_LIBRARY_IMPL(gcan, Autograd, library) {
  library.impl("msilu", gate_with_gradients);
  library.impl("norm", norm_with_gradients);
}

}  // namespace gcan::operators
