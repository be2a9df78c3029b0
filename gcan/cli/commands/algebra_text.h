#pragma once

// The output of `gcan algebra`: values, tables, help and errors.

#include <string>
#include <string_view>

#include "gcan/algebra/expression.h"

namespace gcan::cli {

// The format of values.
struct Display {
  int digits = 0;     // 0 for all digits
  bool dust = false;  // whether to print coefficients that are probably rounding errors
};
std::string value_text(const MultivectorX<double>& value, const Display& display);

// Prints a value on stdout, unless it is quiet, and its hint on stderr.
void print_answer(const expression::Calculator::Answer& answer, const Display& display);

// Prints an error with its place in the expression on stderr, after flushing previous results.
void show_mistake(std::string_view expression, const expression::ExpressionError& error);

// Two lines: the expression, and a caret under its byte `column`. A long expression is shortened to the
// surroundings of the caret; unprintable bytes are replaced.
std::string error_picture(std::string_view expression, std::size_t column);

// The product named "geometric", "outer", ...; throws UsageError for other names.
Product parse_product(const std::string& name);

// The multiplication table of the blades. Throws UsageError if it is too large for a screen.
std::string product_table(const Algebra& algebra, Product product);

// All blades with their grade, square, reverse and dual.
std::string blade_list(const Algebra& algebra);

// "e0^2 = 0, e1^2 = e2^2 = e3^2 = 1. "; empty for an algebra without basis vectors.
std::string metric_text(const Algebra& algebra);

// The help on expressions: values, operators, functions.
std::string expression_help();

// The help on a function, operator or constant, with an example if it exists in the algebra.
std::string help_about(const std::string& word, const Algebra& algebra, const Display& display);

}  // namespace gcan::cli
