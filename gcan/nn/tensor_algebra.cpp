#include "gcan/nn/tensor_algebra.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "gcan/nn/detail/checks.h"
#include "gcan/nn/detail/constant.h"
#include "gcan/nn/detail/versor_log.h"

namespace gcan::nn {
namespace {

using torch::Tensor;
using Blades = std::vector<Blade>;

std::string blades_text(const Algebra& algebra, const Blades& blades) {
  std::string text = "{";
  for (std::size_t i = 0; i < blades.size(); ++i) {
    if (i > 0) text += ", ";
    text += algebra.name(blades[i]);
  }
  return text += "}";
}

// The index of a blade in the list; the list's size if it is missing.
std::size_t position(const Blades& blades, Blade blade) {
  return static_cast<std::size_t>(std::find(blades.begin(), blades.end(), blade) - blades.begin());
}
bool contains(const Blades& blades, Blade blade) { return position(blades, blade) < blades.size(); }

Blades canonical(Blades blades) {
  std::sort(blades.begin(), blades.end(), canonical_less);
  blades.erase(std::unique(blades.begin(), blades.end()), blades.end());
  return blades;
}

template <class Predicate>
Blades where(const Blades& blades, Predicate keep) {
  Blades kept;
  std::copy_if(blades.begin(), blades.end(), std::back_inserter(kept), keep);
  return kept;
}

Blades united(const Blades& a, const Blades& b) {
  Blades all = a;
  all.insert(all.end(), b.begin(), b.end());
  return canonical(std::move(all));
}

void check_blades(const Algebra& algebra, const Blades& blades) {
  for (const Blade blade : blades) {
    if (blade > algebra.pseudoscalar()) {
      throw Error("the blade " + std::to_string(blade) + " does not exist in " + algebra.to_string());
    }
  }
  if (canonical(blades).size() != blades.size()) {
    throw Error("the blades " + blades_text(algebra, blades) + " of a tensor are not all different");
  }
}

void check_operands(const char* what, const MultivectorTensor& a, const MultivectorTensor& b) {
  const std::string name = what;
  if (a.algebra() != b.algebra()) {
    throw Error(name + " got multivectors of " + a.algebra().to_string() + " and of " +
                b.algebra().to_string() + ", expected one algebra");
  }
  if (a.dim() != b.dim()) {
    throw Error(name + " got operands with the blades at dimension " + std::to_string(a.dim()) + " and " +
                std::to_string(b.dim()) + " from the end, expected the same");
  }
}

// ---- bilinear products ------------------------------------------------------------------------------------

// The entries of a product's table as rows (left, right, result, sign), and the sizes of its three lists.
// Plain numbers instead of tensors, so that tracing sees only the caller's tensors.
struct Table {
  std::vector<std::int64_t> rows;
  std::array<std::int64_t, 3> sizes;

  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(rows.size() / 4); }
};

Table make_table(Product product, const Algebra& algebra, const Blades& left, const Blades& right,
                 const Blades& result) {
  std::vector<std::int64_t> rows;
  for (const auto& entry : algebra.product_table(product, left, right)) {
    const std::size_t place = position(result, entry.result.blade);
    if (place == result.size()) continue;
    rows.insert(rows.end(), {static_cast<std::int64_t>(entry.left), static_cast<std::int64_t>(entry.right),
                             static_cast<std::int64_t>(place), entry.result.sign});
  }
  return {std::move(rows),
          {static_cast<std::int64_t>(left.size()), static_cast<std::int64_t>(right.size()),
           static_cast<std::int64_t>(result.size())}};
}

// The common shape of two tensors of equal rank, except for their first dimension.
std::vector<std::int64_t> broadcast(torch::IntArrayRef a, torch::IntArrayRef b) {
  std::vector<std::int64_t> sizes = a.vec();
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    if (a[i] == 1) sizes[i] = b[i];
    if (sizes[i] != b[i] && b[i] != 1) {
      throw Error("a product got multivectors with batch dimensions " + detail::shape_text(a.slice(1)) +
                  " and " + detail::shape_text(b.slice(1)) +
                  ", expected equal sizes, or 1 where they differ");
    }
  }
  return sizes;
}

// Small batches: all products of slices at once, summed by a matrix of signs. One call per entry would be too
// slow.
Tensor contract_small(const Tensor& left, const Tensor& right, const Table& table, torch::IntArrayRef sizes) {
  const auto options = left.options().requires_grad(false);
  const Tensor rows = detail::constant(table.rows, left.device()).view({table.count(), 4});
  const auto column = [&](std::int64_t k) { return rows.select(1, k); };
  const Tensor products = left.index_select(0, column(0)) * right.index_select(0, column(1));
  const Tensor sums = torch::zeros({table.count(), sizes[0]}, options)
                          .scatter_(1, column(2).unsqueeze(1), column(3).unsqueeze(1).to(options.dtype()));
  return torch::mm(sums.t(), products.reshape({table.count(), -1})).view(sizes);
}

// Large batches: each entry is one multiply-add over the whole batch.
Tensor contract_large(const Tensor& left, const Tensor& right, const Table& table, torch::IntArrayRef sizes) {
  const std::vector<Tensor> as = left.unbind(0);
  const std::vector<Tensor> bs = right.unbind(0);
  const Tensor result = torch::zeros(sizes, left.options());
  const std::vector<Tensor> ys = result.unbind(0);
  for (std::size_t k = 0; k < table.rows.size(); k += 4) {
    const auto at = [&](std::size_t column) { return static_cast<std::size_t>(table.rows[k + column]); };
    ys[at(2)].addcmul_(as[at(0)], bs[at(1)], static_cast<double>(table.rows[k + 3]));
  }
  return result;
}

// The product without gradients. With blades first, every slice is contiguous.
Tensor contract(const Tensor& a, const Tensor& b, const Table& table, std::int64_t dim) {
  const Tensor left = a.movedim(dim, 0).contiguous();
  const Tensor right = b.movedim(dim, 0).contiguous();
  std::vector<std::int64_t> sizes = broadcast(left.sizes(), right.sizes());
  const std::int64_t batch =
      std::accumulate(sizes.begin() + 1, sizes.end(), std::int64_t{1}, std::multiplies<>());
  sizes[0] = table.sizes[2];
  // Measured for full products in G(3,0,1): with 64 multivectors the first method takes a third of the
  // second's time, with 256 the same.
  const bool small = batch > 0 && batch <= 128 && !table.rows.empty();
  const Tensor result =
      small ? contract_small(left, right, table, sizes) : contract_large(left, right, table, sizes);
  return result.movedim(0, dim).contiguous();
}

// y = sum of sign * a_left * b_right. Both gradients are products of the same kind with permuted columns of
// the table, so they are differentiable too.
class Bilinear : public torch::autograd::Function<Bilinear> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& a, const Tensor& b,
                        const std::vector<std::int64_t>& rows, const std::vector<std::int64_t>& sizes,
                        std::int64_t dim) {
    context->save_for_backward({a, b});
    context->saved_data["rows"] = rows;
    context->saved_data["sizes"] = sizes;
    context->saved_data["dim"] = dim;
    return contract(a, b, {rows, {sizes[0], sizes[1], sizes[2]}}, dim);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto rows = context->saved_data["rows"].toIntVector();
    const auto sizes = context->saved_data["sizes"].toIntVector();
    const std::int64_t dim = context->saved_data["dim"].toInt();
    const auto exchanged = [&](std::array<std::size_t, 4> columns) {
      std::vector<std::int64_t> result(rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) result[i] = rows[i / 4 * 4 + columns[i % 4]];
      return result;
    };
    const auto needed = [&](std::size_t k) { return saved[k].requires_grad(); };
    Tensor to_a;
    Tensor to_b;
    if (needed(0)) {
      to_a = apply(gradients[0], saved[1], exchanged({2, 1, 0, 3}),
                   std::vector<std::int64_t>{sizes[2], sizes[1], sizes[0]}, dim);
      to_a = to_a.sum_to_size(saved[0].sizes());
    }
    if (needed(1)) {
      to_b = apply(saved[0], gradients[0], exchanged({0, 2, 1, 3}),
                   std::vector<std::int64_t>{sizes[0], sizes[2], sizes[1]}, dim);
      to_b = to_b.sum_to_size(saved[1].sizes());
    }
    return {to_a, to_b, Tensor(), Tensor(), Tensor()};
  }
};

MultivectorTensor with_signs(const MultivectorTensor& x, int (*sign)(Blade)) {
  std::vector<double> signs;
  for (const Blade blade : x.blades()) signs.push_back(sign(blade));
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(-x.dim()), 1);
  sizes[0] = static_cast<std::int64_t>(signs.size());
  const Tensor factors = detail::constant(signs, x.values().options()).view(sizes);
  return {x.algebra(), x.blades(), x.values() * factors, x.dim()};
}

// A one-to-one map of blades, such as a dual.
MultivectorTensor mapped(const MultivectorTensor& x, SignedBlade (*map)(Signature, Blade)) {
  Blades images;
  std::vector<Tensor> slices;
  const std::vector<Tensor> values = x.values().unbind(x.dim());
  for (const Blade blade : x.blades()) {
    images.push_back(map(x.algebra().signature(), blade).blade);
  }
  const Blades ordered = canonical(images);
  for (const Blade blade : ordered) {
    const std::size_t from = position(images, blade);
    const int sign = map(x.algebra().signature(), x.blades()[from]).sign;
    slices.push_back(sign < 0 ? -values[from] : values[from]);
  }
  if (slices.empty()) return x;
  return {x.algebra(), ordered, torch::stack(slices, x.dim()), x.dim()};
}

// The number 1 for every multivector of x.
MultivectorTensor ones_like(const MultivectorTensor& x) {
  std::vector<std::int64_t> sizes = x.values().sizes().vec();
  sizes[sizes.size() - static_cast<std::size_t>(-x.dim())] = 1;
  return {x.algebra(), {0}, torch::ones(sizes, x.values().options().requires_grad(false)), x.dim()};
}

bool has_null_vector(const Algebra& algebra, Blade blade) {
  return (blade & algebra.signature().null_vectors()) != 0;
}

// ~v v = s (1 + d) for a versor v. Without null vectors d = 0; with them d is nilpotent, d^(r+1) = 0.
struct VersorSquare {
  Tensor s;
  MultivectorTensor d;
};

VersorSquare square_of(const MultivectorTensor& v) {
  const Algebra& algebra = v.algebra();
  // ~v v is its own reverse, so no other grades can appear.
  const Blades blades =
      where(product_blades(algebra, Product::geometric, v.blades(), v.blades()),
            [&](Blade b) { return b != 0 && reverse_sign(b) > 0 && has_null_vector(algebra, b); });
  const Tensor s = norm_squared(v);
  const MultivectorTensor d = multiply(Product::geometric, ~v, v, blades);
  return {s, {algebra, blades, d.values() / s, v.dim()}};
}

// (1 + d)^power by the binomial series, which ends at d^r.
MultivectorTensor study_power(const MultivectorTensor& d, double power) {
  MultivectorTensor sum = ones_like(d);
  MultivectorTensor term = sum;
  for (int k = 1; k <= d.algebra().signature().r; ++k) {
    term = term * d * ((power - k + 1) / k);
    sum = sum + term;
  }
  return sum;
}

// ---- entire functions of a square -------------------------------------------------------------------------

Tensor polynomial(const std::vector<double>& coefficients, const Tensor& x) {
  Tensor sum = torch::full_like(x, coefficients.back());
  for (std::size_t k = coefficients.size() - 1; k-- > 0;) sum = sum * x + coefficients[k];
  return sum;
}

// x if the condition holds, otherwise a number at which the branch's function is smooth: without it the
// unused branch would yield nan gradients.
Tensor guarded(const Tensor& condition, const Tensor& x) {
  return torch::where(condition, x, torch::ones_like(x));
}

// With t = a a: cos a, sin(a) / a and (sin a - a cos a) / a^3, continued to negative t by cosh and sinh. All
// three are entire in t; near 0 they are summed as series, which keeps values and gradients exact.
struct Trigonometry {
  Tensor cosine;
  Tensor sinc;
  Tensor slope;
};

Trigonometry trigonometry(const Tensor& t) {
  constexpr int kTerms = 12;
  std::vector<double> cosine, sinc, slope;
  double factorial = 1;  // (2 k)!, with the sign (-1)^k
  for (int k = 0; k < kTerms; ++k) {
    cosine.push_back(1 / factorial);
    sinc.push_back(1 / (factorial * (2 * k + 1)));
    if (k > 0) slope.push_back(-2 * k / (factorial * (2 * k + 1)));
    factorial *= -(2 * k + 1) * (2 * k + 2);
  }
  const Tensor small = t.abs() < 1;
  const Tensor turns = t >= 1;
  const Tensor near = torch::where(small, t, torch::zeros_like(t));
  const Tensor a = guarded(turns, t).sqrt();
  const Tensor h = guarded(t <= -1, -t).sqrt();
  const auto choose = [&](const std::vector<double>& series, const Tensor& turning, const Tensor& boost) {
    return torch::where(small, polynomial(series, near), torch::where(turns, turning, boost));
  };
  return {choose(cosine, a.cos(), h.cosh()), choose(sinc, a.sin() / a, h.sinh() / h),
          choose(slope, (a.sin() - a * a.cos()) / (a * a * a), (h * h.cosh() - h.sinh()) / (h * h * h))};
}

// For a unit versor with scalar part c = cos a and bivector part of square -q = -sin(a)^2: a / sin a and
// (sin a - a cos a) / sin(a)^3, continued to boosts (q < 0).
struct Logarithm {
  Tensor factor;
  Tensor slope;
};

Logarithm logarithm(const Tensor& c, const Tensor& q) {
  const Tensor forward = c > 0;
  // (tan a)^2, in which a / tan a and the slope are analytic at 0.
  const Tensor safe_c = guarded(forward, c);
  const Tensor z = q / (safe_c * safe_c);
  const Tensor small = forward.logical_and(z.abs() < 0.1);
  const Tensor turns = small.logical_not().logical_and(q > 0);
  const Tensor boosts = small.logical_not().logical_and(q < 0).logical_and(forward);
  // On other devices, where the host would have to wait for the check, the result is nan.
  const Tensor defined = small.logical_or(turns).logical_or(boosts);
  if (c.device().is_cpu() && !defined.all().item<bool>()) {
    throw Error(
        "log got a versor with a scalar part that is not positive and no rotation, or one that is not "
        "finite: it is not the exponential of one bivector; try the negative, which acts in the same way");
  }
  std::vector<double> arc, slope;
  for (int k = 0; k < 16; ++k) {
    arc.push_back((k % 2 == 0 ? 1.0 : -1.0) / (2 * k + 1));
    if (k > 0) slope.push_back(-arc.back());
  }
  const Tensor near = torch::where(small, z, torch::zeros_like(z));
  const Tensor sine = guarded(turns, q).sqrt();
  const Tensor turning = torch::atan2(sine, c) / sine;
  const Tensor ratio = torch::where(boosts, -z, torch::full_like(z, 0.25)).sqrt();
  const Tensor boost = torch::atanh(ratio) / (ratio * safe_c);
  Tensor factor = torch::where(small, polynomial(arc, near) / safe_c, torch::where(turns, turning, boost));
  if (!c.device().is_cpu()) factor = torch::where(defined, factor, torch::full_like(factor, std::nan("")));
  const Tensor away = torch::where(small, torch::ones_like(q), q);
  return {factor, torch::where(small, polynomial(slope, near) / (safe_c * safe_c), (1 - c * factor) / away)};
}

// ---- exponentials -----------------------------------------------------------------------------------------

// The blades of b ^ b if they all share a null vector, so that (b ^ b)(b ^ b) = 0 and closed forms hold;
// empty otherwise.
std::optional<Blades> nilpotent_square(const Algebra& algebra, const Blades& bivectors) {
  const Blades blades = product_blades(algebra, Product::outer, bivectors, bivectors);
  Blade common = algebra.signature().null_vectors();
  for (const Blade blade : blades) common &= blade;
  if (!blades.empty() && common == 0) return std::nullopt;
  return blades;
}

// With b b = -t + d, where d = b ^ b commutes with b and d d = 0, the even and odd parts of the series are
// functions of t - d, and f(t - d) = f(t) - f'(t) d.
MultivectorTensor closed_exp(const MultivectorTensor& b, const Blades& square_blades) {
  const Trigonometry f = trigonometry(norm_squared(b));
  MultivectorTensor result = MultivectorTensor(b.algebra(), {0}, f.cosine, b.dim()) + b * f.sinc;
  if (square_blades.empty()) return result;
  const MultivectorTensor d = multiply(Product::outer, b, b);
  result = result + d * (0.5 * f.sinc);
  return result + grade(d * b, 2) * (0.5 * f.slope);
}

// The smallest list with 1 and these blades that is closed under products.
Blades closure(const Algebra& algebra, const Blades& blades) {
  Blades all = united({0}, blades);
  while (true) {
    Blades next = united(all, product_blades(algebra, Product::geometric, all, blades));
    if (next.size() == all.size()) return all;
    all = std::move(next);
  }
}

// The exponential of a multivector whose coefficients add up to at most 1/2: 14 terms are exact in double.
MultivectorTensor short_exp(const MultivectorTensor& b, const Blades& blades) {
  const MultivectorTensor one = ones_like(b);
  MultivectorTensor sum = one.on(blades);
  for (int k = 14; k > 0; --k) {
    sum = one + multiply(Product::geometric, sum, b * (1.0 / k), blades);
  }
  return sum;
}

// exp(b) = exp(b / 2^k)^(2^k), with k such that the coefficients of b / 2^k add up to at most 1/2.
MultivectorTensor series_exp(const MultivectorTensor& b) {
  const Blades blades = closure(b.algebra(), b.blades());
  int squarings = 0;
  if (b.values().numel() > 0) {
    const double size = b.values().detach().abs().sum(b.dim()).max().item<double>();
    if (!std::isfinite(size)) throw Error("exp got a bivector that is not finite (nan or infinity)");
    squarings = std::max(0, std::ilogb(std::max(size, 0.25)) + 2);
  }
  MultivectorTensor sum = short_exp(b * std::ldexp(1.0, -squarings), blades);
  for (int k = 0; k < squarings; ++k) sum = multiply(Product::geometric, sum, sum, blades);
  return sum;
}

// The same without reading the size of the coefficients from the device, for which the host would have to
// wait: each multivector has its own k, up to a limit, beyond which the result is nan.
MultivectorTensor series_exp_on_device(const MultivectorTensor& b) {
  constexpr int kMost = 14;  // for coefficients that add up to 8192
  const Blades blades = closure(b.algebra(), b.blades());
  const Tensor size = b.values().detach().abs().sum(b.dim(), true);
  const Tensor wanted = size.clamp_min(0.25).log2().floor().add(2).clamp_min(0);
  const Tensor fits = wanted <= kMost;
  const Tensor scale = torch::where(fits, torch::exp2(-wanted), torch::full_like(wanted, std::nan("")));
  MultivectorTensor sum = short_exp(b * scale, blades);
  for (int k = 0; k < kMost; ++k) {
    const MultivectorTensor squared = multiply(Product::geometric, sum, sum, blades);
    sum = {b.algebra(), blades, torch::where(wanted > k, squared.values(), sum.values()), b.dim()};
  }
  return sum;
}

}  // namespace

MultivectorTensor::MultivectorTensor(const Algebra& algebra, std::vector<Blade> blades, torch::Tensor values,
                                     std::int64_t dim)
    : algebra_(algebra), blades_(std::move(blades)), values_(std::move(values)), dim_(dim) {
  check_blades(algebra_, blades_);
  if (!values_.defined() || !values_.is_floating_point()) {
    throw Error("MultivectorTensor needs a tensor of floating-point numbers");
  }
  if (dim_ >= 0) dim_ -= values_.dim();
  if (dim_ >= 0 || dim_ < -values_.dim()) {
    throw Error("MultivectorTensor got a tensor of shape " + detail::shape_text(values_.sizes()) +
                ", which has no dimension " + std::to_string(dim) + " for the blades");
  }
  if (values_.size(dim_) != static_cast<std::int64_t>(blades_.size())) {
    throw Error("MultivectorTensor got a tensor of shape " + detail::shape_text(values_.sizes()) + " with " +
                std::to_string(values_.size(dim_)) + " entries along dimension " + std::to_string(dim) +
                ", expected one for each of the " + std::to_string(blades_.size()) + " blades " +
                blades_text(algebra_, blades_));
  }
}

torch::Tensor MultivectorTensor::coefficient(Blade blade) const { return on({blade}).values().squeeze(dim_); }

MultivectorTensor MultivectorTensor::on(const std::vector<Blade>& blades) const {
  check_blades(algebra_, blades);
  if (blades == blades_) return *this;
  std::vector<std::int64_t> sizes = values_.sizes().vec();
  const std::size_t axis = sizes.size() - static_cast<std::size_t>(-dim_);
  sizes[axis] = 1;
  const auto options = values_.options().requires_grad(false);
  const std::vector<Tensor> slices = blades_.empty() ? std::vector<Tensor>() : values_.split(1, dim_);
  std::vector<Tensor> chosen;
  for (const Blade blade : blades) {
    const std::size_t place = position(blades_, blade);
    chosen.push_back(place < blades_.size() ? slices[place] : torch::zeros(sizes, options));
  }
  sizes[axis] = 0;
  return {algebra_, blades, chosen.empty() ? torch::zeros(sizes, options) : torch::cat(chosen, dim_), dim_};
}

std::vector<Blade> product_blades(const Algebra& algebra, Product product, const std::vector<Blade>& left,
                                  const std::vector<Blade>& right) {
  Blades blades;
  for (const auto& entry : algebra.product_table(product, left, right)) blades.push_back(entry.result.blade);
  return canonical(std::move(blades));
}

MultivectorTensor multiply(Product product, const MultivectorTensor& a, const MultivectorTensor& b) {
  check_operands("a product", a, b);
  return multiply(product, a, b, product_blades(a.algebra(), product, a.blades(), b.blades()));
}

MultivectorTensor multiply(Product product, const MultivectorTensor& a, const MultivectorTensor& b,
                           const std::vector<Blade>& blades) {
  check_operands("a product", a, b);
  check_blades(a.algebra(), blades);
  const Table table = make_table(product, a.algebra(), a.blades(), b.blades(), blades);
  // Operands of different ranks get leading batch dimensions of size 1.
  const auto raised = [](const Tensor& x, std::int64_t rank) {
    std::vector<std::int64_t> sizes = x.sizes().vec();
    sizes.insert(sizes.begin(), static_cast<std::size_t>(std::max<std::int64_t>(rank - x.dim(), 0)), 1);
    return x.reshape(sizes);
  };
  const std::int64_t rank = std::max(a.values().dim(), b.values().dim());
  const auto type = torch::promote_types(a.values().scalar_type(), b.values().scalar_type());
  const Tensor y =
      Bilinear::apply(raised(a.values().to(type), rank), raised(b.values().to(type), rank), table.rows,
                      std::vector<std::int64_t>(table.sizes.begin(), table.sizes.end()), a.dim());
  return {a.algebra(), blades, y, a.dim()};
}

MultivectorTensor operator+(const MultivectorTensor& a, const MultivectorTensor& b) {
  check_operands("a sum", a, b);
  const Blades blades = a.blades() == b.blades() ? a.blades() : united(a.blades(), b.blades());
  return {a.algebra(), blades, a.on(blades).values() + b.on(blades).values(), a.dim()};
}
MultivectorTensor operator-(const MultivectorTensor& a, const MultivectorTensor& b) { return a + b * -1.0; }
MultivectorTensor operator*(const MultivectorTensor& x, const torch::Tensor& factor) {
  return {x.algebra(), x.blades(), x.values() * factor, x.dim()};
}
MultivectorTensor operator*(const MultivectorTensor& x, double factor) {
  return {x.algebra(), x.blades(), x.values() * factor, x.dim()};
}

MultivectorTensor reverse(const MultivectorTensor& x) { return with_signs(x, reverse_sign); }
MultivectorTensor grade_involution(const MultivectorTensor& x) { return with_signs(x, involution_sign); }
MultivectorTensor grade(const MultivectorTensor& x, int k) {
  return x.on(where(x.blades(), [k](Blade b) { return grade(b) == k; }));
}
MultivectorTensor dual(const MultivectorTensor& x) { return mapped(x, hodge_dual); }
MultivectorTensor undual(const MultivectorTensor& x) { return mapped(x, hodge_undual); }

torch::Tensor norm_squared(const MultivectorTensor& x) {
  return multiply(Product::scalar, x, ~x, {0}).values();
}

torch::Tensor norm(const MultivectorTensor& x) {
  const Tensor square = norm_squared(x).abs();
  const Tensor zero = square == 0;
  return torch::where(zero, torch::zeros_like(square), guarded(zero.logical_not(), square).sqrt());
}

MultivectorTensor inverse(const MultivectorTensor& versor) {
  const VersorSquare square = square_of(versor);
  const MultivectorTensor scaled = ~versor * square.s.reciprocal();
  return square.d.blades().empty() ? scaled : study_power(square.d, -1) * scaled;
}

MultivectorTensor normalized(const MultivectorTensor& versor) {
  const VersorSquare square = square_of(versor);
  const MultivectorTensor scaled = versor * square.s.abs().rsqrt();
  return square.d.blades().empty() ? scaled : scaled * study_power(square.d, -0.5);
}

MultivectorTensor sandwich(const MultivectorTensor& versor, const MultivectorTensor& x) {
  const auto kept = [&](Blade b) {
    return std::any_of(x.blades().begin(), x.blades().end(), [&](Blade c) { return grade(c) == grade(b); });
  };
  return sandwich(versor, x, where(x.algebra().blades(), kept));
}

MultivectorTensor sandwich(const MultivectorTensor& versor, const MultivectorTensor& x,
                           const std::vector<Blade>& blades) {
  check_operands("sandwich", versor, x);
  const auto odd = [](Blade b) { return is_odd(grade(b)); };
  const Blades odd_blades = where(versor.blades(), odd);
  if (!odd_blades.empty() && odd_blades.size() != versor.blades().size()) {
    throw Error("sandwich got a versor on the blades " + blades_text(x.algebra(), versor.blades()) +
                ", expected even grades only or odd grades only");
  }
  const MultivectorTensor middle = odd_blades.empty() ? x : grade_involution(x);
  return multiply(Product::geometric, versor * middle, inverse(versor), blades);
}

MultivectorTensor exp(const MultivectorTensor& bivector) {
  for (const Blade blade : bivector.blades()) {
    if (grade(blade) != 2) {
      throw Error("exp got the blade " + bivector.algebra().name(blade) + ", expected bivectors");
    }
  }
  const auto square_blades = nilpotent_square(bivector.algebra(), bivector.blades());
  if (square_blades) return closed_exp(bivector, *square_blades);
  return bivector.values().device().is_cpu() ? series_exp(bivector) : series_exp_on_device(bivector);
}

MultivectorTensor log(const MultivectorTensor& versor) {
  const Algebra& algebra = versor.algebra();
  const Blades bivectors = where(versor.blades(), [](Blade b) { return grade(b) == 2; });
  const auto square_blades = nilpotent_square(algebra, bivectors);
  const bool closed =
      square_blades && std::all_of(versor.blades().begin(), versor.blades().end(), [&](Blade x) {
        return x == 0 || grade(x) == 2 || contains(*square_blades, x);
      });
  const MultivectorTensor unit = normalized(versor);
  if (!closed) return detail::versor_log(unit);
  const MultivectorTensor b = grade(unit, 2);
  const Logarithm f = logarithm(unit.on({0}).values(), norm_squared(b));
  // The inverse of closed_exp: with P = d sin(a) / (2 a) the 4-vector part, b_log = (factor - slope P) b.
  MultivectorTensor result = b * f.factor;
  const MultivectorTensor ideal = grade(unit, 4);
  if (!ideal.blades().empty()) result = result - grade(ideal * b, 2) * f.slope;
  return result;
}

}  // namespace gcan::nn
