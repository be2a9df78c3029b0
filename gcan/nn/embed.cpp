#include "gcan/nn/embed.h"

#include <algorithm>

#include "gcan/nn/detail/checks.h"
#include "gcan/nn/tensor_algebra.h"

namespace gcan::nn {
namespace {

using torch::Tensor;

// One blade: sign * coordinate, or a constant when it has none.
struct EmbeddedBlade {
  Blade blade;
  std::int64_t coordinate = -1;
  double sign = 0;
  double constant = 0;
};

const char* name_of(Object object) {
  switch (object) {
    case Object::scalar: return "scalar";
    case Object::vector: return "vector";
    case Object::point: return "point";
    case Object::direction: return "direction";
    case Object::line: return "line";
    case Object::plane: return "plane";
    case Object::motor: return "motor";
  }
  return "";
}

Blade vector_blade(std::int64_t i) { return Blade{1} << i; }

// The dimension n of the space of G(n,0,1); Error for other algebras, and if the space has no such object.
int space_dimension(const EmbedOptions& options, int lowest, int highest) {
  const Signature& s = options.algebra().signature();
  if (s.r == 1 && s.q == 0 && s.p >= lowest && s.p <= highest) return s.p;
  std::string expected = "G(" + std::to_string(lowest) + ",0,1)";
  if (highest > lowest) expected += highest == kMaxDimension ? " or higher" : " or G(3,0,1)";
  throw Error("there is no " + std::string(name_of(options.object())) + " in " +
              options.algebra().to_string() + ": it needs " + expected);
}

// The meet of the hyperplanes e_i - x_i e0: e0 replaces e_i and moves to the front past i vectors.
std::vector<EmbeddedBlade> embed_point(const EmbedOptions& options) {
  const int n = space_dimension(options, 1, kMaxDimension);
  const Blade top = options.algebra().pseudoscalar();
  std::vector<EmbeddedBlade> blades;
  for (std::int64_t i = 0; i < n; ++i) {
    const bool meet = options.layout() == PointLayout::meet;
    const std::int64_t place = options.layout() == PointLayout::paper_reversed ? n - 1 - i : i;
    const double sign = meet && place % 2 == 0 ? -1 : 1;
    blades.push_back({top & ~vector_blade(place + 1), i, sign});
  }
  if (options.weight()) {
    blades.push_back({top & ~vector_blade(0), -1, 0, options.object() == Object::point ? 1.0 : 0.0});
  }
  return blades;
}

// a x + b y + ... + c = 0 is a e1 + b e2 + ... + c e0.
std::vector<EmbeddedBlade> embed_hyperplane(int n) {
  std::vector<EmbeddedBlade> blades = {{vector_blade(0), n, 1}};
  for (std::int64_t i = 0; i < n; ++i) blades.push_back({vector_blade(i + 1), i, 1});
  return blades;
}

std::vector<EmbeddedBlade> embed_line(const EmbedOptions& options) {
  if (space_dimension(options, 2, 3) == 2) return embed_hyperplane(2);
  const auto& algebra = options.algebra();
  const auto on = [&](const char* name, std::int64_t coordinate, double sign) {
    return EmbeddedBlade{algebra.blade(name).blade, coordinate, sign};
  };
  return {on("e01", 3, 1), on("e02", 4, 1),  on("e03", 5, 1),
          on("e12", 2, 1), on("e13", 1, -1), on("e23", 0, 1)};
}

// The rotor of (w, x, y, z) is w - z e12 + y e13 - x e23, of (cos, sin) in the plane cos - sin e12.
std::vector<EmbeddedBlade> embed_rotor(const Algebra& algebra) {
  const auto on = [&](const char* name, std::int64_t coordinate) {
    return EmbeddedBlade{algebra.blade(name).blade, coordinate, -1};
  };
  if (algebra.dimension() == 3) return {{0, 0, 1}, on("e12", 1)};
  return {{0, 0, 1}, on("e12", 3), {algebra.blade("e13").blade, 2, 1}, on("e23", 1)};
}

// The translator of t is 1 - t_i e0i / 2.
std::vector<EmbeddedBlade> embed_translator(int n) {
  std::vector<EmbeddedBlade> blades = {{0, -1, 0, 1}};
  for (std::int64_t i = 0; i < n; ++i) blades.push_back({vector_blade(0) | vector_blade(i + 1), i, -0.5});
  return blades;
}

std::vector<Blade> blades_of(const std::vector<EmbeddedBlade>& embedded) {
  std::vector<Blade> blades;
  for (const auto& entry : embedded) blades.push_back(entry.blade);
  return blades;
}

std::int64_t coordinates_of(const std::vector<EmbeddedBlade>& embedded) {
  return std::count_if(embedded.begin(), embedded.end(), [](const auto& b) { return b.coordinate >= 0; });
}

// The blades of an object that is linear in its coordinates, in canonical order; Error if the algebra has no
// such object.
std::vector<EmbeddedBlade> embedding(const EmbedOptions& options) {
  std::vector<EmbeddedBlade> blades;
  const Signature& s = options.algebra().signature();
  switch (options.object()) {
    case Object::scalar: return {{0, 0, 1}};
    case Object::vector:
      if (s.p + s.q == 0)
        throw Error("there is no vector that is not null in " + options.algebra().to_string());
      for (std::int64_t i = 0; i < s.p + s.q; ++i) blades.push_back({vector_blade(s.r + i), i, 1});
      break;
    case Object::point:
    case Object::direction: blades = embed_point(options); break;
    case Object::line: blades = embed_line(options); break;
    case Object::plane: blades = embed_hyperplane(space_dimension(options, 3, 3)); break;
    case Object::motor: throw Error("a motor is not linear in its coordinates");
  }
  std::sort(blades.begin(), blades.end(),
            [](const auto& a, const auto& b) { return canonical_less(a.blade, b.blade); });
  return blades;
}

Tensor embedded_values(const std::vector<EmbeddedBlade>& embedded, const Tensor& x, std::int64_t dim) {
  const std::vector<Tensor> coordinates = x.split(1, dim);
  std::vector<Tensor> values;
  for (const auto& entry : embedded) {
    values.push_back(entry.coordinate < 0
                         ? torch::full_like(coordinates[0], entry.constant)
                         : coordinates[static_cast<std::size_t>(entry.coordinate)] * entry.sign);
  }
  return torch::cat(values, dim);
}

Tensor extracted_values(const std::vector<EmbeddedBlade>& embedded, const Tensor& values, std::int64_t dim) {
  const std::vector<Tensor> slices = values.split(1, dim);
  std::vector<Tensor> coordinates(static_cast<std::size_t>(coordinates_of(embedded)));
  for (std::size_t i = 0; i < embedded.size(); ++i) {
    if (embedded[i].coordinate < 0) continue;
    coordinates[static_cast<std::size_t>(embedded[i].coordinate)] = slices[i] / embedded[i].sign;
  }
  return torch::cat(coordinates, dim);
}

// The motor that first rotates, then translates.
Tensor embed_motor(const EmbedOptions& options, const Tensor& x) {
  const Algebra& algebra = options.algebra();
  const int n = algebra.dimension() - 1;
  const auto rotor = embed_rotor(algebra);
  const auto translator = embed_translator(n);
  const auto size = static_cast<std::int64_t>(rotor.size());
  const std::int64_t dim = options.dim();
  const MultivectorTensor turn(algebra, blades_of(rotor), embedded_values(rotor, x.narrow(dim, 0, size), dim),
                               dim);
  const MultivectorTensor move(algebra, blades_of(translator),
                               embedded_values(translator, x.narrow(dim, size, n), dim), dim);
  return multiply(Product::geometric, move, turn, algebra.even_blades()).values();
}

// With R the rotor part of the motor m, m ~R / (R ~R) is the translator, for motors of any norm.
Tensor extract_motor(const EmbedOptions& options, const Tensor& values) {
  const Algebra& algebra = options.algebra();
  const auto rotor = embed_rotor(algebra);
  const auto translator = embed_translator(algebra.dimension() - 1);
  const std::int64_t dim = options.dim();
  const MultivectorTensor motor(algebra, algebra.even_blades(), values, dim);
  const MultivectorTensor turn = motor.on(blades_of(rotor));
  const MultivectorTensor move = multiply(Product::geometric, motor, inverse(turn), blades_of(translator));
  return torch::cat(
      {extracted_values(rotor, turn.values(), dim), extracted_values(translator, move.values(), dim)}, dim);
}

std::string text(const char* name, const EmbedOptions& options) {
  std::string result = name;
  result += "(";
  result += options.algebra().to_string();
  result += ", ";
  result += name_of(options.object());
  result += ")";
  return result;
}

void check_coordinates(const std::string& layer, const EmbedOptions& options, const Tensor& x,
                       std::int64_t expected) {
  const std::int64_t dim = options.dim();
  if (!x.defined() || dim >= x.dim() || dim < -x.dim()) {
    throw Error(layer + " got " +
                (x.defined() ? "a tensor of shape " + detail::shape_text(x.sizes()) : "no tensor") +
                ", expected one with a dimension " + std::to_string(dim));
  }
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(x.dim()), -1);
  sizes[static_cast<std::size_t>(dim < 0 ? dim + x.dim() : dim)] = expected;
  detail::check_shape(layer, x, sizes);
}

std::vector<Blade> blades_of(const EmbedOptions& options) {
  if (options.object() != Object::motor) return blades_of(embedding(options));
  space_dimension(options, 2, 3);
  return options.algebra().even_blades();
}

}  // namespace

EmbedImpl::EmbedImpl(const EmbedOptions& options_) : options(options_) { reset(); }

void EmbedImpl::reset() {
  blades_ = blades_of(options);
  const int n = options.algebra().dimension() - 1;
  coordinates_ = options.object() == Object::motor ? (n == 2 ? 4 : 7) : coordinates_of(embedding(options));
}

void EmbedImpl::pretty_print(std::ostream& stream) const { stream << text("gcan::nn::Embed", options); }

torch::Tensor EmbedImpl::forward(const torch::Tensor& coordinates) {
  check_coordinates(text("Embed", options), options, coordinates, coordinates_);
  if (options.object() == Object::motor) return embed_motor(options, coordinates);
  return embedded_values(embedding(options), coordinates, options.dim());
}

ExtractImpl::ExtractImpl(const EmbedOptions& options_) : options(options_) { reset(); }

void ExtractImpl::reset() { blades_ = blades_of(options); }

void ExtractImpl::pretty_print(std::ostream& stream) const { stream << text("gcan::nn::Extract", options); }

torch::Tensor ExtractImpl::forward(const torch::Tensor& values) {
  check_coordinates(text("Extract", options), options, values, static_cast<std::int64_t>(blades_.size()));
  if (options.object() == Object::motor) return extract_motor(options, values);
  const Tensor coordinates = extracted_values(embedding(options), values, options.dim());
  if (options.object() != Object::point || !options.weight()) return coordinates;
  // The blade of the weight is the last one in canonical order.
  return coordinates / values.narrow(options.dim(), values.size(options.dim()) - 1, 1);
}

}  // namespace gcan::nn
