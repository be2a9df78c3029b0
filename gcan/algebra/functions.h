#pragma once

// The functions of expressions (expression.h), in one table: the calculator calls them, its help lists them,
// and its errors suggest them.

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

// All functions, in the order of the help. One that takes different numbers of arguments has a row for each.
std::span<const Function> functions();

// The first function of that name, or nothing.
const Function* find_function(std::string_view name);

// The same with this number of arguments.
const Function* find_function(std::string_view name, std::size_t arity);

// How to call it: "sin(t)", "point(x, y) or point(x, y, z)"; empty where there is none.
std::string usage_of_function(std::string_view name);

}  // namespace gcan::expression
