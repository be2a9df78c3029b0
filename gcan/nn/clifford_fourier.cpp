#include "gcan/nn/clifford_fourier.h"

#include <algorithm>

#include "gcan/nn/detail/checks.h"
#include "gcan/nn/detail/clifford_kernel.h"
#include "gcan/nn/detail/constant.h"
#include "gcan/nn/detail/features.h"

namespace gcan::nn {
namespace {

using torch::Tensor;

// Blade i of the first half is the real part of a complex number, and the i-th from the end, its dual, is the
// imaginary part times a sign: e_i I = sign e_dual.
using Signs = std::vector<double>;

bool squares_to_minus_one(const Algebra& algebra) {
  const std::vector<Blade> unit = {algebra.pseudoscalar()};
  const auto square = algebra.product_table(Product::geometric, unit, unit);
  return !square.empty() && square.front().result.sign < 0;
}

Signs dual_signs(const Algebra& algebra) {
  Signs signs(static_cast<std::size_t>(detail::blade_count(algebra) / 2));
  for (const auto& entry :
       algebra.product_table(Product::geometric, algebra.blades(), {algebra.pseudoscalar()})) {
    if (entry.left < signs.size()) signs[entry.left] = entry.result.sign;
  }
  return signs;
}

// The signs of a transform; Error if it does not exist.
Signs signs_of(const std::string& who, const Algebra& algebra, bool released) {
  if (algebra.dimension() < 1) throw Error(who + " needs an algebra of at least one dimension");
  if (released) return Signs(static_cast<std::size_t>(detail::blade_count(algebra) / 2), 1.0);
  if (!squares_to_minus_one(algebra)) {
    throw Error(who + " got the algebra " + algebra.to_string() +
                ", expected one whose pseudoscalar squares to -1");
  }
  return dual_signs(algebra);
}

// Real (N, channels, blades, space...) to complex (N, channels, blades / 2, space...), and back.
Tensor to_complex(const Tensor& x, const Signs& signs) {
  const std::int64_t half = x.size(2) / 2;
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(x.dim()) - 2, 1);
  sizes[0] = half;
  const Tensor factors = detail::constant(signs, x.options()).view(sizes);
  return torch::complex(x.narrow(2, 0, half).contiguous(), x.narrow(2, half, half).flip(2) * factors);
}

Tensor from_complex(const Tensor& z, const Signs& signs) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(z.dim()) - 2, 1);
  sizes[0] = z.size(2);
  const Tensor imaginary = torch::imag(z);
  const Tensor factors = detail::constant(signs, imaginary.options()).view(sizes);
  return torch::cat({torch::real(z), (imaginary * factors).flip(2)}, 2);
}

std::vector<std::int64_t> space_of(const Tensor& x) {
  std::vector<std::int64_t> dims;
  for (std::int64_t d = 3; d < x.dim(); ++d) dims.push_back(d);
  return dims;
}

Tensor transform(const Tensor& x, const Signs& signs) {
  return from_complex(at::fft_fftn(to_complex(x, signs), c10::nullopt, space_of(x)), signs);
}

Tensor inverse_transform(const Tensor& x, const Signs& signs) {
  return from_complex(at::fft_ifftn(to_complex(x, signs), c10::nullopt, space_of(x)), signs);
}

void check_field(const std::string& who, const Algebra& algebra, const Tensor& x) {
  std::vector<std::int64_t> sizes = {-1, -1, detail::blade_count(algebra), -1};
  sizes.resize(static_cast<std::size_t>(std::max<std::int64_t>(x.defined() ? x.dim() : 4, 4)), -1);
  detail::check_shape(who, x, sizes);
}

template <std::size_t D>
std::string text(const CliffordSpectralConvOptions<D>& options) {
  std::string result = "CliffordSpectralConv";
  result += std::to_string(D) + "d(" + options.algebra().to_string();
  result += ", " + std::to_string(options.in_channels()) + " -> " + std::to_string(options.out_channels());
  result += ", modes=" + detail::shape_text(*options.modes());
  if (!options.multiply()) result += ", multiply=false";
  if (options.released()) result += ", released";
  return result + ")";
}

}  // namespace

Tensor clifford_fourier(const Algebra& algebra, const Tensor& x) {
  check_field("clifford_fourier()", algebra, x);
  return transform(x, signs_of("clifford_fourier()", algebra, false));
}

Tensor inverse_clifford_fourier(const Algebra& algebra, const Tensor& spectrum) {
  check_field("inverse_clifford_fourier()", algebra, spectrum);
  return inverse_transform(spectrum, signs_of("inverse_clifford_fourier()", algebra, false));
}

template <std::size_t D, class Derived>
CliffordSpectralConvImpl<D, Derived>::CliffordSpectralConvImpl(const CliffordSpectralConvOptions<D>& options_)
    : options(options_) {
  CliffordSpectralConvImpl::reset();
}

template <std::size_t D, class Derived>
void CliffordSpectralConvImpl<D, Derived>::reset() {
  detail::check_channels(text(options), options.in_channels(), options.out_channels(), 1);
  static_cast<void>(signs_of(text(options), options.algebra(), options.released()));
  std::vector<std::int64_t> sizes = {options.out_channels(), options.in_channels(),
                                     detail::blade_count(options.algebra())};
  for (const std::int64_t modes : *options.modes()) {
    if (modes < 1) throw Error(text(options) + " needs at least one mode along each dimension");
    sizes.push_back(2 * modes);
  }
  if (!options.multiply() && options.in_channels() != options.out_channels()) {
    throw Error(text(options) + " has no weights, so it needs equal numbers of input and output channels");
  }
  weight = this->register_parameter("weight", options.multiply() ? torch::empty(sizes) : Tensor(),
                                    options.multiply());
  reset_parameters();
}

template <std::size_t D, class Derived>
void CliffordSpectralConvImpl<D, Derived>::reset_parameters() {
  if (!weight.defined()) return;
  const double bound = 1 / static_cast<double>(options.in_channels() * options.out_channels());
  torch::nn::init::uniform_(weight, 0, bound);
}

template <std::size_t D, class Derived>
void CliffordSpectralConvImpl<D, Derived>::pretty_print(std::ostream& stream) const {
  stream << "gcan::nn::" << text(options);
}

template <std::size_t D, class Derived>
Tensor CliffordSpectralConvImpl<D, Derived>::forward(const Tensor& x) {
  std::vector<std::int64_t> expected = {-1, options.in_channels(), detail::blade_count(options.algebra())};
  expected.insert(expected.end(), D, -1);
  detail::check_shape(text(options), x, expected);
  for (std::size_t d = 0; d < D; ++d) {
    const std::int64_t points = x.size(static_cast<std::int64_t>(d) + 3);
    if ((*options.modes())[d] > points) {
      throw Error(text(options) + " got a grid of " + detail::shape_text(x.sizes().slice(3)) +
                  " points, expected at least as many points as modes along each dimension");
    }
  }
  if (weight.defined()) detail::check_finite(text(options), "entry of its weight", weight);
  const Signs signs = signs_of(text(options), options.algebra(), options.released());
  Tensor spectrum = kept(transform(x.to(detail::compute_type(x)), signs));
  if (options.multiply()) spectrum = multiplied(spectrum);
  return inverse_transform(placed(spectrum, x.sizes().slice(3)), signs).to(x.scalar_type());
}

// The lowest frequencies, (N, in, blades, 2 * modes...).
template <std::size_t D, class Derived>
Tensor CliffordSpectralConvImpl<D, Derived>::kept(Tensor spectrum) const {
  for (std::size_t d = 0; d < D; ++d) {
    const std::int64_t modes = (*options.modes())[d], dim = static_cast<std::int64_t>(d) + 3;
    spectrum = torch::cat(
        {spectrum.narrow(dim, 0, modes), spectrum.narrow(dim, spectrum.size(dim) - modes, modes)}, dim);
  }
  return spectrum;
}

template <std::size_t D, class Derived>
Tensor CliffordSpectralConvImpl<D, Derived>::multiplied(const Tensor& spectrum) const {
  const std::int64_t n = detail::blade_count(options.algebra());
  // (out * blades, in * blades, frequencies): one matrix for each frequency.
  const Tensor kernel =
      detail::clifford_kernel(options.algebra(), weight.to(spectrum.scalar_type())).flatten(2);
  const Tensor y = torch::einsum("nqm,pqm->npm", {spectrum.flatten(1, 2).flatten(2), kernel});
  std::vector<std::int64_t> sizes = spectrum.sizes().vec();
  sizes[1] = options.out_channels();
  sizes[2] = n;
  return y.reshape(sizes);
}

// The frequencies in a spectrum that is 0 elsewhere.
template <std::size_t D, class Derived>
Tensor CliffordSpectralConvImpl<D, Derived>::placed(Tensor spectrum, torch::IntArrayRef space) const {
  const auto& modes = *options.modes();
  if constexpr (D == 3) {
    if (options.released()) {
      const auto part = [&](const Tensor& t, std::int64_t dim, bool last) {
        const std::int64_t m = modes[static_cast<std::size_t>(dim) - 3];
        return t.narrow(dim, last ? m : 0, m);
      };
      const auto block = [&](const Tensor& t, bool last) {
        return part(part(part(t, 3, last), 4, false), 5, true);
      };
      const Tensor from = block(spectrum, false).clone();
      spectrum = spectrum.clone();
      block(spectrum, true).copy_(from);
    }
  }
  for (std::size_t d = 0; d < D; ++d) {
    const std::int64_t dim = static_cast<std::int64_t>(d) + 3;
    const std::int64_t overlap = std::max<std::int64_t>(0, 2 * modes[d] - space[d]);
    std::vector<std::int64_t> between = spectrum.sizes().vec();
    between[static_cast<std::size_t>(dim)] = space[d] - 2 * modes[d] + overlap;
    spectrum = torch::cat({spectrum.narrow(dim, 0, modes[d] - overlap), spectrum.new_zeros(between),
                           spectrum.narrow(dim, modes[d], modes[d])},
                          dim);
  }
  return spectrum;
}

template class CliffordSpectralConvImpl<1, CliffordSpectralConv1dImpl>;
template class CliffordSpectralConvImpl<2, CliffordSpectralConv2dImpl>;
template class CliffordSpectralConvImpl<3, CliffordSpectralConv3dImpl>;

}  // namespace gcan::nn
