#pragma once

// The functions of the expression language (expression.h), in one table that serves evaluation, help and
// suggestions.

#include <span>
#include <string>
#include <string_view>

#include "gcan/algebra/multivector_x.h"

namespace gcan::expression {

struct Function {
  using Value = MultivectorX<double>;

  std::string_view name;
  std::string_view parameters;  // "x, k"
  std::size_t arity;
  std::string_view help;                     // one line
  Value (*apply)(std::span<const Value> x);  // given `arity` values of one algebra; throws Error
};

// All functions, in the order of the help. A function with several arities has one row for each.
std::span<const Function> functions();

// The first function of that name, or nothing.
const Function* find_function(std::string_view name);

// The same with this number of arguments.
const Function* find_function(std::string_view name, std::size_t arity);

// The signatures of a function, "sin(t)" or "point(x, y) or point(x, y, z)"; empty for an unknown name.
std::string usage_of_function(std::string_view name);

}  // namespace gcan::expression
