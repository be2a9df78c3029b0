// Geometric algebra on tensors: the functions of gcan/nn/tensor_algebra.h, with blades as numbers. They
// consist of differentiable tensor operations, so these operators define no gradients.

#include <torch/library.h>

#include "gcan/base/error.h"
#include "gcan/nn/detail/clifford_kernel.h"
#include "gcan/nn/embed.h"
#include "gcan/nn/objects.h"
#include "gcan/nn/tensor_algebra.h"

namespace gcan::operators {
namespace {

using Ints = at::IntArrayRef;
using nn::MultivectorTensor;
using torch::Tensor;
using Numbers = std::vector<std::int64_t>;

// The signature is p, q, r.
Algebra algebra_of(Ints signature) {
  if (signature.size() != 3) {
    throw Error("an algebra got " + std::to_string(signature.size()) + " numbers, expected p, q and r");
  }
  return Algebra(static_cast<int>(signature[0]), static_cast<int>(signature[1]),
                 static_cast<int>(signature[2]));
}

std::vector<Blade> blades_of(Ints numbers) { return {numbers.begin(), numbers.end()}; }
Numbers numbers_of(const std::vector<Blade>& blades) { return {blades.begin(), blades.end()}; }

MultivectorTensor multivector(const Tensor& values, Ints signature, Ints blades, std::int64_t dim) {
  return {algebra_of(signature), blades_of(blades), values, dim};
}

Product product_of(std::int64_t kind) {
  if (kind < 0 || kind > static_cast<std::int64_t>(Product::regressive)) {
    throw Error("there is no product " + std::to_string(kind));
  }
  return static_cast<Product>(kind);
}

// ---- questions about the algebra
// ----------------------------------------------------------------------------

// The blades of a grade, of the even grades (-2), or all blades (-1), in canonical order.
Numbers blades(Ints signature, std::int64_t grade) {
  const Algebra algebra = algebra_of(signature);
  if (grade == -2) return numbers_of(algebra.even_blades());
  return numbers_of(grade == -1 ? algebra.blades() : algebra.blades(static_cast<int>(grade)));
}

Numbers default_objects(Ints signature) { return numbers_of(nn::default_objects(algebra_of(signature))); }

std::string blade_name(Ints signature, std::int64_t blade) {
  return algebra_of(signature).name(static_cast<Blade>(blade));
}

// The blade with this name, and its sign.
Numbers blade_named(Ints signature, const std::string& name) {
  const SignedBlade found = algebra_of(signature).blade(name);
  return {static_cast<std::int64_t>(found.blade), found.sign};
}

Numbers product_blades(std::int64_t kind, Ints signature, Ints left, Ints right) {
  return numbers_of(
      nn::product_blades(algebra_of(signature), product_of(kind), blades_of(left), blades_of(right)));
}

// ---- functions of tensors
// -----------------------------------------------------------------------------------

Tensor product(const Tensor& a, const Tensor& b, std::int64_t kind, Ints signature, Ints left, Ints right,
               Ints result, std::int64_t dim) {
  return nn::multiply(product_of(kind), multivector(a, signature, left, dim),
                      multivector(b, signature, right, dim), blades_of(result))
      .values();
}

Tensor sandwich(const Tensor& versor, const Tensor& x, Ints signature, Ints versor_blades, Ints x_blades,
                Ints result, std::int64_t dim) {
  return nn::sandwich(multivector(versor, signature, versor_blades, dim),
                      multivector(x, signature, x_blades, dim), blades_of(result))
      .values();
}

// A function of one multivector, on the requested blades.
template <MultivectorTensor (*function)(const MultivectorTensor&)>
Tensor of_one(const Tensor& values, Ints signature, Ints blades, Ints result, std::int64_t dim) {
  return function(multivector(values, signature, blades, dim)).on(blades_of(result)).values();
}

Tensor norm_squared(const Tensor& values, Ints signature, Ints blades, std::int64_t dim) {
  return nn::norm_squared(multivector(values, signature, blades, dim));
}

Tensor norm(const Tensor& values, Ints signature, Ints blades, std::int64_t dim) {
  return nn::norm(multivector(values, signature, blades, dim));
}

// ---- Clifford layers and embeddings
// -------------------------------------------------------------------------

// weight (out, in, blades, kernel...) to the kernel of x -> sum_i x_i w_oi.
Tensor clifford_kernel(const Tensor& weight, Ints signature) {
  return nn::detail::clifford_kernel(algebra_of(signature), weight);
}

Tensor rotation_kernel(const Tensor& weight, const Tensor& scale) {
  return nn::detail::clifford_rotation_kernel(weight, scale);
}

nn::EmbedOptions embedding(Ints signature, std::int64_t object, bool weight, std::int64_t layout,
                           std::int64_t dim) {
  if (object < 0 || object > static_cast<std::int64_t>(nn::Object::motor) || layout < 0 ||
      layout > static_cast<std::int64_t>(nn::PointLayout::paper_reversed)) {
    throw Error("there is no object " + std::to_string(object) + " with the layout " +
                std::to_string(layout));
  }
  return nn::EmbedOptions(algebra_of(signature), static_cast<nn::Object>(object))
      .weight(weight)
      .layout(static_cast<nn::PointLayout>(layout))
      .dim(dim);
}

Tensor embed(const Tensor& x, Ints signature, std::int64_t object, bool weight, std::int64_t layout,
             std::int64_t dim) {
  return nn::Embed(embedding(signature, object, weight, layout, dim))(x);
}

Tensor extract(const Tensor& x, Ints signature, std::int64_t object, bool weight, std::int64_t layout,
               std::int64_t dim) {
  return nn::Extract(embedding(signature, object, weight, layout, dim))(x);
}

// The blades of the embedded object, followed by the number of its coordinates.
Numbers embedded_blades(Ints signature, std::int64_t object, bool weight, std::int64_t layout) {
  nn::Embed made(embedding(signature, object, weight, layout, 2));
  Numbers numbers = numbers_of(made->blades());
  numbers.push_back(made->coordinates());
  return numbers;
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(gcan, library) {
  library.def("blades(int[] signature, int grade) -> int[]", blades);
  library.def("default_objects(int[] signature) -> int[]", default_objects);
  library.def("blade_name(int[] signature, int blade) -> str", blade_name);
  library.def("blade_named(int[] signature, str name) -> int[]", blade_named);
  library.def("product_blades(int kind, int[] signature, int[] left, int[] right) -> int[]", product_blades);
  library.def(
      "product(Tensor a, Tensor b, int kind, int[] signature, int[] left, int[] right, int[] result, int "
      "dim) -> "
      "Tensor",
      product);
  library.def(
      "sandwich(Tensor versor, Tensor x, int[] signature, int[] versor_blades, int[] x_blades, int[] result, "
      "int dim) "
      "-> Tensor",
      sandwich);
  library.def("exp(Tensor x, int[] signature, int[] blades, int[] result, int dim) -> Tensor",
              of_one<nn::exp>);
  library.def("log(Tensor x, int[] signature, int[] blades, int[] result, int dim) -> Tensor",
              of_one<nn::log>);
  library.def("inverse(Tensor x, int[] signature, int[] blades, int[] result, int dim) -> Tensor",
              of_one<nn::inverse>);
  library.def("normalized(Tensor x, int[] signature, int[] blades, int[] result, int dim) -> Tensor",
              of_one<nn::normalized>);
  library.def("reverse(Tensor x, int[] signature, int[] blades, int[] result, int dim) -> Tensor",
              of_one<nn::reverse>);
  library.def("grade_involution(Tensor x, int[] signature, int[] blades, int[] result, int dim) -> Tensor",
              of_one<nn::grade_involution>);
  library.def("dual(Tensor x, int[] signature, int[] blades, int[] result, int dim) -> Tensor",
              of_one<nn::dual>);
  library.def("undual(Tensor x, int[] signature, int[] blades, int[] result, int dim) -> Tensor",
              of_one<nn::undual>);
  library.def("norm_squared(Tensor x, int[] signature, int[] blades, int dim) -> Tensor", norm_squared);
  library.def("versor_norm(Tensor x, int[] signature, int[] blades, int dim) -> Tensor", norm);
  library.def("clifford_kernel(Tensor weight, int[] signature) -> Tensor", clifford_kernel);
  library.def("clifford_rotation_kernel(Tensor weight, Tensor scale) -> Tensor", rotation_kernel);
  library.def("embed(Tensor x, int[] signature, int object, bool weight, int layout, int dim) -> Tensor",
              embed);
  library.def("extract(Tensor x, int[] signature, int object, bool weight, int layout, int dim) -> Tensor",
              extract);
  library.def("embedded_blades(int[] signature, int object, bool weight, int layout) -> int[]",
              embedded_blades);
}

}  // namespace gcan::operators
