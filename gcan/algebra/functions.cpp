#include "gcan/algebra/functions.h"

#include <cmath>
#include <vector>

#include "gcan/algebra/exponential.h"
#include "gcan/algebra/projective_functions.h"
#include "gcan/algebra/text.h"

namespace gcan::expression {
namespace {

using Value = Function::Value;
using Values = std::span<const Value>;

// The value of a multivector that must be a scalar.
double number(const Value& x, const char* function) {
  if (x.only([](Blade b) { return b == 0; })) return x.scalar();
  throw Error(std::string(function) + " expects a plain number, not " + to_string(x, 6));
}

Value grade_part(Values x) {
  const double k = number(x[1], "the second argument of grade");
  const int n = x[0].algebra().dimension();
  if (k != std::floor(k) || k < 0 || k > n) {
    throw Error("the second argument of grade must be a whole number from 0 to " + std::to_string(n) +
                ", not " + to_string(x[1], 6));
  }
  return grade(x[0], static_cast<int>(k));
}

template <Product product>
Value product_of(Values x) {
  return multiply(product, x[0], x[1]);
}

Value scalar_value(Values x, double value) { return Value(x[0].algebra(), value); }

const Function kFunctions[] = {
    {"reverse", "x", 1, "~x: the basis vectors of each blade in opposite order",
     [](Values x) { return reverse(x[0]); }},
    {"involute", "x", 1, "grade involution: odd grades change sign",
     [](Values x) { return grade_involution(x[0]); }},
    {"conjugate", "x", 1, "Clifford conjugate: reverse and involute",
     [](Values x) { return clifford_conjugate(x[0]); }},
    {"grade", "x, k", 2, "the part of grade k", grade_part},
    {"even", "x", 1, "the part of even grades",
     [](Values x) { return x[0].where([](Blade b) { return !is_odd(grade(b)); }); }},
    {"odd", "x", 1, "the part of odd grades",
     [](Values x) { return x[0].where([](Blade b) { return is_odd(grade(b)); }); }},
    {"dual", "x", 1, "!x: Hodge dual, valid with null vectors too", [](Values x) { return dual(x[0]); }},
    {"undual", "x", 1, "inverse of dual", [](Values x) { return undual(x[0]); }},
    {"complement", "x", 1, "right complement: b ^ complement(b) = I for each basis blade b",
     [](Values x) { return right_complement(x[0]); }},
    {"left_complement", "x", 1, "inverse of complement: left_complement(b) ^ b = I",
     [](Values x) { return left_complement(x[0]); }},
    {"outer", "a, b", 2, "a ^ b: outer product", product_of<Product::outer>},
    {"meet", "a, b", 2, "a ^ b: the intersection of planes and lines in projective geometry",
     product_of<Product::outer>},
    {"regressive", "a, b", 2, "a & b: the outer product's dual", product_of<Product::regressive>},
    {"join", "a, b", 2, "a & b: the line or plane through points and lines in projective geometry",
     product_of<Product::regressive>},
    {"inner", "a, b", 2, "a | b: inner product, grade |j - k| of blades of grades j and k",
     product_of<Product::inner>},
    {"left", "a, b", 2, "a << b: left contraction, grade k - j", product_of<Product::left_contraction>},
    {"right", "a, b", 2, "a >> b: right contraction, grade j - k", product_of<Product::right_contraction>},
    {"scalar", "a, b", 2, "scalar product: grade 0 of a * b", product_of<Product::scalar>},
    {"commutator", "a, b", 2, "(a * b - b * a) / 2", product_of<Product::commutator>},
    {"sandwich", "v, x", 2, "v >>> x: applies the versor v to x; v x v^-1, odd v negate odd x",
     [](Values x) { return sandwich(x[0], x[1]); }},
    {"norm", "x", 1, "square root of |grade(x * ~x, 0)|",
     [](Values x) { return scalar_value(x, norm(x[0])); }},
    {"norm_squared", "x", 1, "grade(x * ~x, 0), with its sign",
     [](Values x) { return scalar_value(x, norm_squared(x[0])); }},
    {"ideal_norm", "x", 1, "norm of the part at infinity, that of the null vectors",
     [](Values x) { return scalar_value(x, ideal_norm(x[0])); }},
    {"normalize", "x", 1, "the versor x scaled to x * ~x = 1 or -1",
     [](Values x) { return normalized(x[0]); }},
    {"inverse", "x", 1, "1 / x, for any invertible x", [](Values x) { return inverse(x[0]); }},
    {"exp", "x", 1, "exponential", [](Values x) { return exp(x[0]); }},
    {"log", "x", 1, "logarithm of an even versor", [](Values x) { return log(x[0]); }},
    {"sqrt", "x", 1, "square root; for a versor, half its motion", [](Values x) { return sqrt(x[0]); }},
    {"abs", "t", 1, "absolute value of a number",
     [](Values x) { return scalar_value(x, std::abs(number(x[0], "abs"))); }},
    {"sin", "t", 1, "sine of a number in radians",
     [](Values x) { return scalar_value(x, std::sin(number(x[0], "sin"))); }},
    {"cos", "t", 1, "cosine of a number in radians",
     [](Values x) { return scalar_value(x, std::cos(number(x[0], "cos"))); }},
    {"tan", "t", 1, "tangent of a number in radians",
     [](Values x) { return scalar_value(x, std::tan(number(x[0], "tan"))); }},
    {"asin", "t", 1, "angle with that sine",
     [](Values x) { return scalar_value(x, std::asin(number(x[0], "asin"))); }},
    {"acos", "t", 1, "angle with that cosine",
     [](Values x) { return scalar_value(x, std::acos(number(x[0], "acos"))); }},
    {"atan", "t", 1, "angle with that tangent, from -pi/2 to pi/2",
     [](Values x) { return scalar_value(x, std::atan(number(x[0], "atan"))); }},
    {"atan2", "y, x", 2, "angle of the point (x, y)",
     [](Values x) { return scalar_value(x, std::atan2(number(x[0], "atan2"), number(x[1], "atan2"))); }},
    {"sinh", "t", 1, "hyperbolic sine of a number",
     [](Values x) { return scalar_value(x, std::sinh(number(x[0], "sinh"))); }},
    {"cosh", "t", 1, "hyperbolic cosine of a number",
     [](Values x) { return scalar_value(x, std::cosh(number(x[0], "cosh"))); }},
    {"tanh", "t", 1, "hyperbolic tangent of a number",
     [](Values x) { return scalar_value(x, std::tanh(number(x[0], "tanh"))); }},
    {"asinh", "t", 1, "number with that hyperbolic sine",
     [](Values x) { return scalar_value(x, std::asinh(number(x[0], "asinh"))); }},
    {"acosh", "t", 1, "number with that hyperbolic cosine",
     [](Values x) { return scalar_value(x, std::acosh(number(x[0], "acosh"))); }},
    {"atanh", "t", 1, "number with that hyperbolic tangent",
     [](Values x) { return scalar_value(x, std::atanh(number(x[0], "atanh"))); }},
};

}  // namespace

std::span<const Function> functions() {
  static const std::vector<Function> all = [] {
    std::vector<Function> list(std::begin(kFunctions), std::end(kFunctions));
    const auto more = projective_functions();
    list.insert(list.end(), more.begin(), more.end());
    return list;
  }();
  return all;
}

const Function* find_function(std::string_view name) {
  for (const Function& function : functions()) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

const Function* find_function(std::string_view name, std::size_t arity) {
  for (const Function& function : functions()) {
    if (function.name == name && function.arity == arity) return &function;
  }
  return nullptr;
}

std::string usage_of_function(std::string_view name) {
  std::string text;
  for (const Function& function : functions()) {
    if (function.name != name) continue;
    text.append(text.empty() ? "" : " or ").append(name).append("(");
    text.append(function.parameters).append(")");
  }
  return text;
}

}  // namespace gcan::expression
