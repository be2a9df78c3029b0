#include "gcan/nn/norm_msilu.h"

#include <utility>

#include "gcan/nn/detail/checks.h"
#include "gcan/nn/detail/features.h"
#include "gcan/nn/detail/norm_function.h"

namespace gcan::nn {

NormMSiLUImpl::NormMSiLUImpl(NormMSiLUOptions given) : options(std::move(given)) { reset(); }

void NormMSiLUImpl::reset() {
  const auto& n = options.norm();
  const auto& g = options.gate();
  if (n.algebra() != g.algebra() || n.channels() != g.channels() || n.objects() != g.objects()) {
    throw Error("NormMSiLU got a norm for " + std::to_string(n.channels()) + " channels of " +
                detail::objects_text(n.algebra(), n.objects()) + " in " + n.algebra().to_string() +
                " and a gate for " + std::to_string(g.channels()) + " channels of " +
                detail::objects_text(g.algebra(), g.objects()) + " in " + g.algebra().to_string() +
                "; expected the same for both");
  }
  norm = register_module("norm", GcaNorm(n));
  gate = register_module("gate", MSiLU(g));
}

void NormMSiLUImpl::pretty_print(std::ostream& stream) const { stream << "NormMSiLU"; }

detail::NormTensors NormMSiLUImpl::tensors(const torch::TensorOptions& like) const {
  detail::NormTensors result = norm->tensors(like);
  result.gate_weight = gate->gate_weight(like).contiguous();
  result.gate_bias = gate->gate_bias(like).contiguous();
  return result;
}

torch::Tensor NormMSiLUImpl::forward(const torch::Tensor& x) {
  norm->check(x);
  if (!detail::has_norm_kernel(x, norm->settings())) return forward_with_tensors(x);
  const auto like = torch::TensorOptions(x.device()).dtype(x.scalar_type());
  return detail::norm_by_kernel(x, tensors(like), norm->settings(), gate->gate_parts());
}

torch::Tensor NormMSiLUImpl::forward_with_tensors(const torch::Tensor& x) const {
  norm->check(x);
  const auto like = torch::TensorOptions(x.device()).dtype(detail::compute_type(x));
  return detail::norm_with_tensors(x.to(like), tensors(like), norm->settings(), gate->gate_parts())
      .to(x.scalar_type());
}

}  // namespace gcan::nn
