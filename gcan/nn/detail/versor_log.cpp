#include "gcan/nn/detail/versor_log.h"

#include <utility>
#include <vector>

#include "gcan/algebra/exponential.h"
#include "gcan/base/error.h"
#include "gcan/nn/detail/constant.h"
#include "gcan/nn/detail/parallel.h"

namespace gcan::nn::detail {
namespace {

using torch::Tensor;

// The logarithms of versors whose coefficients are the rows of a matrix.
template <class T>
Tensor logs_of_rows(const Algebra& algebra, const std::vector<Blade>& blades,
                    const std::vector<Blade>& bivectors, const Tensor& rows) {
  const Tensor result =
      torch::empty({rows.size(0), static_cast<std::int64_t>(bivectors.size())}, rows.options());
  const T* const from = rows.data_ptr<T>();
  T* const to = result.data_ptr<T>();
  parallel_for(static_cast<std::size_t>(rows.size(0)), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      std::vector<typename MultivectorX<T>::Term> terms;
      for (std::size_t k = 0; k < blades.size(); ++k) {
        terms.push_back({blades[k], from[row * blades.size() + k]});
      }
      const MultivectorX<T> b = gcan::log(MultivectorX<T>(algebra, std::move(terms)));
      for (std::size_t k = 0; k < bivectors.size(); ++k) {
        to[row * bivectors.size() + k] = b.coefficient(bivectors[k]);
      }
    }
  });
  return result;
}

// The logarithms without derivatives.
MultivectorTensor values_of_log(const MultivectorTensor& unit) {
  const Tensor versors = unit.values().detach().movedim(unit.dim(), -1);
  if (!torch::isfinite(versors).all().item<bool>()) {
    throw Error("log got a versor that is not finite (nan or infinity)");
  }
  const auto count = static_cast<std::int64_t>(unit.blades().size());
  const Tensor rows = versors.to(torch::kCPU).reshape({versors.numel() / count, count}).contiguous();
  const std::vector<Blade> bivectors = unit.algebra().blades(2);
  const Tensor found = rows.scalar_type() == torch::kDouble
                           ? logs_of_rows<double>(unit.algebra(), unit.blades(), bivectors, rows)
                           : logs_of_rows<float>(unit.algebra(), unit.blades(), bivectors, rows);
  std::vector<std::int64_t> sizes = versors.sizes().vec();
  sizes.back() = static_cast<std::int64_t>(bivectors.size());
  const Tensor values = found.view(sizes).to(versors.device()).movedim(-1, unit.dim());
  return {unit.algebra(), bivectors, values, unit.dim()};
}

// The map b -> (x -> b x - x b) on bivectors, as an array of (b, image, x).
std::vector<double> commutators(const Algebra& algebra, const std::vector<Blade>& bivectors) {
  const std::size_t m = bivectors.size();
  std::vector<double> table(m * m * m);
  for (const auto& entry : algebra.product_table(Product::commutator, bivectors, bivectors)) {
    for (std::size_t image = 0; image < m; ++image) {
      if (bivectors[image] == entry.result.blade) {
        table[(entry.left * m + image) * m + entry.right] = 2.0 * entry.result.sign;
      }
    }
  }
  return table;
}

// b with the derivative of a step of Newton's method for exp(b) = unit. As exp(b + h) = exp(b) (1 + phi(-ad
// b) h + ...), phi(x) = (exp(x) - 1) / x, h solves phi(-ad b) h = d, where d is the bivector part of exp(-b)
// unit. If b is the logarithm, h is 0 and its derivative is that of the logarithm.
MultivectorTensor with_derivative(const MultivectorTensor& b, const MultivectorTensor& unit) {
  const auto m = static_cast<std::int64_t>(b.blades().size());
  const Tensor d =
      multiply(Product::geometric, exp(b * -1.0), unit, b.blades()).values().movedim(b.dim(), -1);
  const Tensor rows = b.values().movedim(b.dim(), -1);
  std::vector<std::int64_t> sizes = rows.sizes().vec();
  sizes.push_back(m);
  const Tensor table = constant(commutators(b.algebra(), b.blades()), rows.options()).view({m, m * m});
  const Tensor ad = rows.matmul(table).reshape(sizes);
  // exp [[-ad, 1], [0, 0]] = [[exp(-ad), phi(-ad)], [0, 1]].
  const Tensor upper = torch::cat({-ad, torch::eye(m, ad.options()).expand_as(ad)}, -1);
  const Tensor phi =
      torch::matrix_exp(torch::cat({upper, torch::zeros_like(upper)}, -2)).narrow(-2, 0, m).narrow(-1, m, m);
  const Tensor h = torch::linalg_solve(phi, d.unsqueeze(-1)).squeeze(-1).movedim(-1, b.dim());
  return {b.algebra(), b.blades(), b.values() + (h - h.detach()), b.dim()};
}

}  // namespace

MultivectorTensor versor_log(const MultivectorTensor& unit) {
  const auto type = unit.values().scalar_type();
  if (type != torch::kFloat && type != torch::kDouble) {
    const MultivectorTensor b =
        versor_log({unit.algebra(), unit.blades(), unit.values().to(torch::kFloat), unit.dim()});
    return {b.algebra(), b.blades(), b.values().to(type), b.dim()};
  }
  const MultivectorTensor b = values_of_log(unit);
  if (!torch::GradMode::is_enabled() || !unit.values().requires_grad()) return b;
  // Each step doubles the order to which derivatives are exact.
  return with_derivative(with_derivative(b, unit), unit);
}

}  // namespace gcan::nn::detail
