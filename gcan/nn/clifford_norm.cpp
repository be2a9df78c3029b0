#include "gcan/nn/clifford_norm.h"

#include <ATen/Dispatch.h>

#include <algorithm>

#include "gcan/kernels/moments.h"
#include "gcan/nn/detail/checks.h"
#include "gcan/nn/detail/clifford_kernel.h"
#include "gcan/nn/detail/features.h"
#include "gcan/nn/detail/parallel.h"

namespace gcan::nn {
namespace {

using torch::Tensor;

// Of samples (..., blades, count).
struct Statistics {
  Tensor mean;        // (..., blades)
  Tensor covariance;  // (..., blades, blades)
};

Statistics statistics(const Tensor& samples) {
  const Tensor mean = samples.mean(-1, true);
  const Tensor centred = samples - mean;
  const Tensor covariance =
      torch::matmul(centred, centred.transpose(-1, -2)) / static_cast<double>(samples.size(-1));
  return {mean.squeeze(-1), covariance};
}

// m L^-1 with L the Cholesky factor of the covariance: x -> L^-1 x whitens. (The released layers apply the
// transpose of L^-1, after which the components are still correlated.)
Tensor over_cholesky(const Tensor& m, const Tensor& covariance, double eps) {
  const std::int64_t blades = covariance.size(-1);
  const Tensor mean_variance = covariance.diagonal(0, -2, -1).mean(-1, true).unsqueeze(-1);
  const Tensor identity = torch::eye(blades, covariance.options().requires_grad(false));
  const Tensor factor = torch::linalg_cholesky(covariance + eps * (1 + mean_variance) * identity);
  return torch::linalg_solve_triangular(factor, m.expand_as(factor), /*upper=*/false, /*left=*/false);
}

// The two passes over features that a normalisation by matrices makes, with their derivatives. x is (N, C, B,
// S) and contiguous, on the CPU.

template <class Body>
void over_rows(const detail::Features& f, const Body& body) {
  detail::parallel_for(f.rows(), f.grain(), body);
}

kernels::MatrixRows shape_of(const detail::Features& f) {
  return {static_cast<std::size_t>(f.blades), static_cast<std::size_t>(f.space)};
}

// Sums of a (N, C, B) and of a_i (b - origin)_j (N, C, B, B) over space, in double; of a - origin if a is b.
// No products without a b.
std::pair<Tensor, Tensor> moments(const Tensor& a, const Tensor& b = {}, const Tensor& origin = {}) {
  const detail::Features f(a);
  const Tensor sums = torch::zeros({f.samples, f.channels, f.blades}, torch::kDouble);
  const Tensor products = torch::zeros({f.samples, f.channels, f.blades, f.blades}, torch::kDouble);
  AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "CliffordGroupNorm", [&] {
    const auto data = [](const Tensor& t) { return t.defined() ? t.data_ptr<scalar_t>() : nullptr; };
    over_rows(f, [&](std::size_t begin, std::size_t end) {
      kernels::row_moments<scalar_t>(shape_of(f), begin, end, data(a), data(b), data(origin),
                                     sums.data_ptr<double>(), products.data_ptr<double>());
    });
  });
  return {sums, products};
}

// m a + k (b - origin) + shift, or m (a - origin) + shift when k and b are undefined.
Tensor mapped(const Tensor& m, const Tensor& a, const Tensor& k, const Tensor& b, const Tensor& origin,
              const Tensor& shift) {
  const detail::Features f(a);
  const Tensor y = torch::empty_like(a);
  const auto like = [&](const Tensor& t) { return t.defined() ? t.to(a.scalar_type()).contiguous() : t; };
  const Tensor first = like(m), second = like(k), third = like(shift);
  AT_DISPATCH_FLOATING_TYPES(a.scalar_type(), "CliffordGroupNorm", [&] {
    const auto data = [](const Tensor& t) { return t.defined() ? t.data_ptr<scalar_t>() : nullptr; };
    over_rows(f, [&](std::size_t begin, std::size_t end) {
      kernels::row_maps<scalar_t>(shape_of(f), begin, end, data(first), data(a), data(second), data(b),
                                  data(origin), data(third), data(y));
    });
  });
  return y;
}

// A normalisation that maps each sample and channel by a matrix made of the statistics of its group.
struct Whitening : torch::CustomClassHolder {
  std::int64_t groups = 1;
  double eps = 0;
  Tensor weight, bias;  // as in CliffordGroupNorm

  // Of a group's channels together, given to each of them.
  [[nodiscard]] Tensor group_mean(const Tensor& sums, std::int64_t space) const {
    const std::int64_t channels = sums.size(1) / groups;
    const Tensor mean = sums.unflatten(1, std::vector<std::int64_t>{groups, channels}).mean(2, true);
    return mean.expand({-1, -1, channels, -1}).flatten(1, 2) / static_cast<double>(space);
  }

  // The matrix (N, C, B, B) and the shift (N, C, B) of y = matrix (x - origin) + shift, from the moments of x
  // around the origin. Differentiable.
  [[nodiscard]] std::pair<Tensor, Tensor> map(const Tensor& sums, const Tensor& products,
                                              std::int64_t space) const {
    const Tensor mean = group_mean(sums, space);
    const Tensor second = group_mean(products.flatten(2), space).view(products.sizes());
    const Tensor covariance = second - mean.unsqueeze(-1) * mean.unsqueeze(-2);
    const Tensor whole =
        weight.defined() ? weight.to(torch::kDouble).unsqueeze(0) : torch::eye(mean.size(-1), torch::kDouble);
    const Tensor matrix = over_cholesky(whole, covariance, eps);
    Tensor shift = -torch::matmul(matrix, mean.unsqueeze(-1)).squeeze(-1);
    if (bias.defined()) shift = shift + bias;
    return {matrix, shift};
  }

  // The same by tensor operations on x (N, C, B, S): other devices and types, and second derivatives.
  [[nodiscard]] Tensor with_tensors(const Tensor& x) const {
    const std::int64_t n = x.size(2), channels = x.size(1) / groups;
    const Tensor grouped = x.reshape({x.size(0), groups, channels, n, -1});
    const Statistics own = statistics(grouped.transpose(2, 3).flatten(3));
    // One matrix for each sample and channel: that of the channel after that of its group.
    const Tensor whole = weight.defined() ? weight.view({groups, channels, n, n})
                                          : torch::eye(n, x.options().requires_grad(false));
    const Tensor covariance = own.covariance.unsqueeze(2).expand({-1, -1, channels, -1, -1});
    const Tensor matrix = over_cholesky(whole, covariance, eps);
    Tensor y = torch::matmul(matrix, grouped - own.mean.unsqueeze(2).unsqueeze(-1));
    if (bias.defined()) y = y + bias.view({groups, channels, n, 1});
    return y.view(x.sizes());
  }
};

// Whitening with two readings of x for its statistics (the mean first, for the covariance around it) and one
// for the map; backward reads x and dy twice. Inputs: x, then the parameters.
struct Whiten : torch::autograd::Function<Whiten> {
  using List = torch::autograd::variable_list;

  static Tensor forward(torch::autograd::AutogradContext* context, torch::TensorList inputs,
                        const c10::intrusive_ptr<Whitening>& whitening) {
    const Tensor& x = inputs[0];
    const std::int64_t space = x.size(3);
    const Tensor origin = whitening->group_mean(moments(x).first, space).to(x.scalar_type()).contiguous();
    const auto [sums, products] = moments(x, x, origin);
    const auto [matrix, shift] = whitening->map(sums, products, space);
    List saved = inputs.vec();
    saved.insert(saved.end(), {origin, sums, products});
    context->save_for_backward(saved);
    context->saved_data["whitening"] = torch::IValue::make_capsule(whitening);
    return mapped(matrix, x, {}, {}, origin, shift);
  }

  static List backward(torch::autograd::AutogradContext* context, const List& grads) {
    const auto whitening =
        c10::static_intrusive_pointer_cast<Whitening>(context->saved_data["whitening"].toCapsule());
    List saved = context->get_saved_variables();
    const List inputs(saved.begin(), saved.end() - 3);
    List result;
    if (torch::GradMode::is_enabled()) {
      result = detail::gradients_of({whitening->with_tensors(inputs[0])}, grads, inputs, true);
    } else {
      result = once(*whitening, inputs, {saved.end() - 3, saved.end()}, grads[0].contiguous());
    }
    result.emplace_back();
    return result;
  }

 private:
  static List once(const Whitening& whitening, const List& inputs, const List& kept, const Tensor& dy) {
    const Tensor x = inputs[0].detach(), origin = kept[0];
    const Tensor sums = kept[1].detach().requires_grad_(), products = kept[2].detach().requires_grad_();
    const auto [dshift, dmatrix] = moments(dy, x, origin);
    // All but the passes over x is about a few numbers, and left to autograd.
    const torch::AutoGradMode with_gradients(true);
    const auto [matrix, shift] = whitening.map(sums, products, x.size(3));
    List small{sums, products};
    small.insert(small.end(), inputs.begin() + 1, inputs.end());
    List found = detail::gradients_of({matrix, shift}, {dmatrix, dshift}, small, false);
    const torch::NoGradGuard no_grad;
    // A product of components reaches x through both factors.
    const Tensor pull = found[1] + found[1].transpose(-1, -2);
    List result{mapped(matrix.transpose(-1, -2), dy, pull, x, origin, found[0])};
    result.insert(result.end(), found.begin() + 2, found.end());
    return result;
  }
};

Tensor identities(std::int64_t channels, std::int64_t blades) {
  return torch::eye(blades).expand({channels, blades, blades}).clone();
}

std::vector<std::int64_t> expected_shape(const Tensor& x, std::int64_t channels, std::int64_t blades) {
  std::vector<std::int64_t> sizes = {-1, channels, blades};
  sizes.resize(static_cast<std::size_t>(std::max<std::int64_t>(x.defined() ? x.dim() : 3, 3)), -1);
  return sizes;
}

std::string text(const CliffordBatchNormOptions& options) {
  std::string result = "CliffordBatchNorm(";
  result += options.algebra().to_string();
  return result + ", " + std::to_string(options.channels()) + ")";
}

std::string text(const CliffordGroupNormOptions& options) {
  std::string result = "CliffordGroupNorm(";
  result += options.algebra().to_string();
  result += ", " + std::to_string(options.groups());
  return result + ", " + std::to_string(options.channels()) + ")";
}

}  // namespace

CliffordBatchNormImpl::CliffordBatchNormImpl(const CliffordBatchNormOptions& options_) : options(options_) {
  reset();
}

void CliffordBatchNormImpl::reset() {
  detail::check_channels(text(options), options.channels(), options.channels(), 1);
  const std::int64_t n = detail::blade_count(options.algebra());
  const std::int64_t channels = options.channels();
  const auto made = [](bool wanted, const Tensor& x) { return wanted ? x : Tensor(); };
  weight = register_parameter("weight", made(options.affine(), identities(channels, n)), options.affine());
  bias = register_parameter("bias", made(options.affine(), torch::zeros({channels, n})), options.affine());
  const bool tracks = options.track_running_stats();
  running_mean = register_buffer("running_mean", made(tracks, torch::zeros({channels, n})));
  running_covariance = register_buffer("running_covariance", made(tracks, identities(channels, n)));
}

void CliffordBatchNormImpl::reset_parameters() {
  const torch::NoGradGuard no_grad;
  const Tensor identity = torch::eye(detail::blade_count(options.algebra()));
  if (weight.defined()) weight.copy_(identity.expand_as(weight));
  if (bias.defined()) bias.zero_();
  if (running_mean.defined()) running_mean.zero_();
  if (running_covariance.defined()) running_covariance.copy_(identity.expand_as(running_covariance));
}

void CliffordBatchNormImpl::pretty_print(std::ostream& stream) const {
  stream << "gcan::nn::" << text(options);
}

torch::Tensor CliffordBatchNormImpl::forward(const torch::Tensor& x) {
  const std::int64_t n = detail::blade_count(options.algebra());
  detail::check_shape(text(options), x, expected_shape(x, options.channels(), n));
  if (x.numel() == 0) return x.clone();
  const Tensor flat = x.reshape({x.size(0), options.channels(), n, -1});
  const bool from_batch = is_training() || !running_mean.defined();
  const Statistics own = from_batch ? statistics(flat.permute({1, 2, 0, 3}).flatten(2))
                                    : Statistics{running_mean, running_covariance};
  if (is_training() && running_mean.defined()) {
    const torch::NoGradGuard no_grad;
    running_mean.lerp_(own.mean.to(running_mean.dtype()), options.momentum());
    running_covariance.lerp_(own.covariance.to(running_covariance.dtype()), options.momentum());
  }
  const Tensor whole = weight.defined() ? weight : torch::eye(n, x.options().requires_grad(false));
  const Tensor matrix = over_cholesky(whole, own.covariance, options.eps());
  Tensor y = torch::matmul(matrix, flat - own.mean.unsqueeze(-1));
  if (bias.defined()) y = y + bias.unsqueeze(-1);
  return y.view(x.sizes());
}

CliffordGroupNormImpl::CliffordGroupNormImpl(const CliffordGroupNormOptions& options_) : options(options_) {
  reset();
}

void CliffordGroupNormImpl::reset() {
  detail::check_channels(text(options), options.channels(), options.channels(), options.groups());
  const std::int64_t n = detail::blade_count(options.algebra());
  const std::int64_t channels = options.channels();
  const bool affine = options.affine();
  weight = register_parameter("weight", affine ? identities(channels, n) : Tensor(), affine);
  bias = register_parameter("bias", affine ? torch::zeros({channels, n}) : Tensor(), affine);
}

void CliffordGroupNormImpl::reset_parameters() {
  const torch::NoGradGuard no_grad;
  if (weight.defined()) weight.copy_(torch::eye(detail::blade_count(options.algebra())).expand_as(weight));
  if (bias.defined()) bias.zero_();
}

void CliffordGroupNormImpl::pretty_print(std::ostream& stream) const {
  stream << "gcan::nn::" << text(options);
}

torch::Tensor CliffordGroupNormImpl::forward(const torch::Tensor& x) {
  const std::int64_t n = detail::blade_count(options.algebra());
  detail::check_shape(text(options), x, expected_shape(x, options.channels(), n));
  if (x.numel() == 0) return x.clone();
  const auto whitening = c10::make_intrusive<Whitening>();
  whitening->groups = options.groups();
  whitening->eps = options.eps();
  whitening->weight = weight;
  whitening->bias = bias;
  const Tensor flat = detail::flat_space(x).contiguous();
  const bool same_type = !weight.defined() || weight.scalar_type() == x.scalar_type();
  if (!detail::has_kernel(x) || !same_type || n > 8) return whitening->with_tensors(flat).view(x.sizes());
  std::vector<Tensor> inputs{flat};
  for (const Tensor& p : {weight, bias}) {
    if (p.defined()) inputs.push_back(p);
  }
  return Whiten::apply(torch::TensorList(inputs), whitening).view(x.sizes());
}

}  // namespace gcan::nn
