#include "gcan/nn/clifford_norm.h"

#include <ATen/Dispatch.h>

#include <algorithm>
#include <array>

#include "gcan/kernels/moments.h"
#include "gcan/nn/detail/autocast.h"
#include "gcan/nn/detail/checks.h"
#include "gcan/nn/detail/clifford_kernel.h"
#include "gcan/nn/detail/features.h"
#include "gcan/nn/detail/parallel.h"
#include "gcan/nn/detail/whitening.h"

namespace gcan::nn {
namespace {

using torch::Tensor;

// The statistics of samples (..., blades, count).
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
  const Tensor positive = covariance + eps * (1 + mean_variance) * identity;
  // Failure is only detected on the CPU: on other devices the host would have to wait.
  const Tensor factor = covariance.device().is_cpu() ? torch::linalg_cholesky(positive)
                                                     : std::get<0>(at::linalg_cholesky_ex(positive));
  return torch::linalg_solve_triangular(factor, m.expand_as(factor), /*upper=*/false, /*left=*/false);
}

// The two passes of a matrix normalisation over features, with derivatives. x is (N, C, B, S), contiguous, on
// the CPU.

template <class Body>
void over_rows(const detail::Features& f, const Body& body) {
  detail::parallel_for(f.rows(), f.grain(), body);
}

kernels::MatrixRows shape_of(const detail::Features& f) {
  return {static_cast<std::size_t>(f.blades), static_cast<std::size_t>(f.space)};
}

// Sums over space of a (N, C, B) and of a_i (b - origin)_j (N, C, B, B), in double; of a - origin if a is b.
// Without b, no products.
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

// m a + k (b - origin) + shift, or m (a - origin) + shift if k and b are undefined.
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

// A normalisation that multiplies each sample and channel by a matrix, computed from the statistics of its
// group.
struct Whitening : torch::CustomClassHolder {
  std::int64_t groups = 1;
  double eps = 0;
  Tensor weight, bias;  // as in CliffordGroupNorm

  bool gelu = false;  // applied after the map

  // Replaces the sums of channels (N, C, B) by the mean over each group's channels.
  [[nodiscard]] Tensor group_mean(const Tensor& sums, std::int64_t space) const {
    const std::int64_t channels = sums.size(1) / groups;
    const Tensor mean = sums.unflatten(1, std::vector<std::int64_t>{groups, channels}).mean(2, true);
    return mean.expand({-1, -1, channels, -1}).flatten(1, 2) / static_cast<double>(space);
  }

  // By tensor operations on x (N, C, B, S), for other devices and types and for second derivatives.
  [[nodiscard]] Tensor with_tensors(const Tensor& x) const {
    const detail::NoAutocast in_float;
    const auto type = detail::compute_type(x);
    const std::int64_t n = x.size(2), channels = x.size(1) / groups;
    const Tensor grouped = x.to(type).reshape({x.size(0), groups, channels, n, -1});
    const Statistics own = statistics(grouped.transpose(2, 3).flatten(3));
    // One matrix per sample and channel: the channel's times the group's.
    const Tensor whole = weight.defined() ? weight.to(type).view({groups, channels, n, n})
                                          : torch::eye(n, grouped.options().requires_grad(false));
    const Tensor covariance = own.covariance.unsqueeze(2).expand({-1, -1, channels, -1, -1});
    const Tensor matrix = over_cholesky(whole, covariance, eps);
    Tensor y = torch::matmul(matrix, grouped - own.mean.unsqueeze(2).unsqueeze(-1));
    if (bias.defined()) y = y + bias.to(type).view({groups, channels, n, 1});
    y = y.view(x.sizes());
    return (gelu ? torch::gelu(y) : y).to(x.scalar_type());
  }
};

// The matrices and shifts for x, from its moments about the origin, and the state for the backward pass.
class Maps {
 public:
  Maps(const Whitening& whitening, const Tensor& x, const Tensor& sums, const Tensor& products)
      : weight_(in_double(whitening.weight)),
        bias_(in_double(whitening.bias)),
        maps_(sizes(whitening, x), sums.data_ptr<double>(), products.data_ptr<double>(), data(weight_),
              data(bias_)),
        matrix(tensor(maps_.matrix, products.sizes(), x)),
        shift(tensor(maps_.shift, sums.sizes(), x)) {}

  // {pull, constant} of WhiteningMaps::gradients(), then the gradients of weight and bias.
  [[nodiscard]] std::array<Tensor, 4> gradients(const Tensor& dmatrix, const Tensor& dshift) const {
    const auto found = maps_.gradients(dmatrix.data_ptr<double>(), dshift.data_ptr<double>());
    const auto like = [](const std::vector<double>& values, const Tensor& t) {
      return t.defined() ? tensor(values, t.sizes(), t) : Tensor();
    };
    return {tensor(found.pull, matrix.sizes(), matrix), tensor(found.constant, shift.sizes(), shift),
            like(found.weight, weight_), like(found.bias, bias_)};
  }

 private:
  static Tensor in_double(const Tensor& t) {
    return t.defined() ? t.detach().to(torch::kDouble).contiguous() : t;
  }
  static const double* data(const Tensor& t) { return t.defined() ? t.data_ptr<double>() : nullptr; }
  static Tensor tensor(const std::vector<double>& values, torch::IntArrayRef sizes, const Tensor& like) {
    const Tensor made = torch::empty(sizes, torch::TensorOptions(like.scalar_type()));
    AT_DISPATCH_FLOATING_TYPES(like.scalar_type(), "CliffordGroupNorm", [&] {
      std::transform(values.begin(), values.end(), made.data_ptr<scalar_t>(),
                     [](double v) { return static_cast<scalar_t>(v); });
    });
    return made;
  }
  static detail::WhiteningSizes sizes(const Whitening& whitening, const Tensor& x) {
    const auto size = [&](std::int64_t i) { return static_cast<std::size_t>(x.size(i)); };
    return {size(0), size(1), static_cast<std::size_t>(whitening.groups), size(2), size(3), whitening.eps};
  }

  Tensor weight_, bias_;
  detail::WhiteningMaps maps_;

 public:
  Tensor matrix, shift;  // of the type of x
};

// Whitening that reads x twice for its statistics (the mean, then the covariance) and once for the map;
// backward reads x and dy twice. Inputs: x, then the parameters.
struct Whiten : torch::autograd::Function<Whiten> {
  using List = torch::autograd::variable_list;

  static Tensor forward(torch::autograd::AutogradContext* context, torch::TensorList inputs,
                        const c10::intrusive_ptr<Whitening>& whitening) {
    const Tensor& x = inputs[0];
    const std::int64_t space = x.size(3);
    const Tensor origin = whitening->group_mean(moments(x).first, space).to(x.scalar_type()).contiguous();
    const auto [sums, products] = moments(x, x, origin);
    const Maps maps(*whitening, x, sums, products);
    List saved = inputs.vec();
    saved.insert(saved.end(), {origin, sums, products});
    context->save_for_backward(saved);
    context->saved_data["whitening"] = torch::IValue::make_capsule(whitening);
    if (whitening->gelu && x.scalar_type() == torch::kFloat) return gelu_mapped(maps, x, origin);
    const Tensor y = mapped(maps.matrix, x, {}, {}, origin, maps.shift);
    return whitening->gelu ? torch::gelu(y) : y;
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
    const torch::NoGradGuard no_grad;
    const Tensor x = inputs[0].detach(), &origin = kept[0];
    const Maps maps(whitening, x, kept[1], kept[2]);
    const auto [g, dshift, dmatrix] = before_gelu(whitening, maps, x, origin, dy);
    const auto [pull, constant, weight, bias] = maps.gradients(dmatrix, dshift);
    List result{mapped(maps.matrix.transpose(-1, -2), g, pull, x, origin, constant)};
    if (whitening.weight.defined()) result.push_back(weight.to(whitening.weight.scalar_type()));
    if (whitening.bias.defined()) result.push_back(bias.to(whitening.bias.scalar_type()));
    return result;
  }

  static Tensor gelu_mapped(const Maps& maps, const Tensor& x, const Tensor& origin) {
    const detail::Features f(x);
    const Tensor y = torch::empty_like(x);
    over_rows(f, [&](std::size_t begin, std::size_t end) {
      kernels::row_gelu_maps(shape_of(f), begin, end, maps.matrix.data_ptr<float>(), x.data_ptr<float>(),
                             origin.data_ptr<float>(), maps.shift.data_ptr<float>(), y.data_ptr<float>());
    });
    return y;
  }

  // The gradient of the map's output, its sums (N, C, B) and its products with x - origin (N, C, B, B).
  static std::array<Tensor, 3> before_gelu(const Whitening& whitening, const Maps& maps, const Tensor& x,
                                           const Tensor& origin, const Tensor& dy) {
    if (whitening.gelu && x.scalar_type() == torch::kFloat) {
      const detail::Features f(x);
      const Tensor g = torch::empty_like(x), sums = torch::zeros(maps.shift.sizes(), torch::kDouble);
      const Tensor products = torch::zeros(maps.matrix.sizes(), torch::kDouble);
      over_rows(f, [&](std::size_t begin, std::size_t end) {
        kernels::row_gelu_gradients(shape_of(f), begin, end, maps.matrix.data_ptr<float>(),
                                    x.data_ptr<float>(), origin.data_ptr<float>(),
                                    maps.shift.data_ptr<float>(), dy.data_ptr<float>(), g.data_ptr<float>(),
                                    sums.data_ptr<double>(), products.data_ptr<double>());
      });
      return {g, sums, products};
    }
    const Tensor g =
        whitening.gelu ? torch::gelu_backward(dy, mapped(maps.matrix, x, {}, {}, origin, maps.shift)) : dy;
    const auto [sums, products] = moments(g, x, origin);
    return {g, sums, products};
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
  const detail::NoAutocast in_float;
  const auto type = detail::compute_type(x);
  const Tensor flat = x.to(type).reshape({x.size(0), options.channels(), n, -1});
  const bool from_batch = is_training() || !running_mean.defined();
  const Statistics own = from_batch ? statistics(flat.permute({1, 2, 0, 3}).flatten(2))
                                    : Statistics{running_mean, running_covariance};
  if (is_training() && running_mean.defined()) {
    const torch::NoGradGuard no_grad;
    running_mean.lerp_(own.mean.to(running_mean.dtype()), options.momentum());
    running_covariance.lerp_(own.covariance.to(running_covariance.dtype()), options.momentum());
  }
  const Tensor whole =
      weight.defined() ? weight.to(type) : torch::eye(n, flat.options().requires_grad(false));
  const Tensor matrix = over_cholesky(whole, own.covariance.to(type), options.eps());
  Tensor y = torch::matmul(matrix, flat - own.mean.to(type).unsqueeze(-1));
  if (bias.defined()) y = y + bias.to(type).unsqueeze(-1);
  return y.view(x.sizes()).to(x.scalar_type());
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

torch::Tensor CliffordGroupNormImpl::run(const torch::Tensor& x, bool gelu) const {
  const std::int64_t n = detail::blade_count(options.algebra());
  detail::check_shape(text(options), x, expected_shape(x, options.channels(), n));
  if (x.numel() == 0) return x.clone();
  const auto whitening = c10::make_intrusive<Whitening>();
  whitening->groups = options.groups();
  whitening->eps = options.eps();
  whitening->weight = weight;
  whitening->bias = bias;
  whitening->gelu = gelu;
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
