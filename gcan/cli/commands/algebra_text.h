#pragma once

// What `gcan algebra` prints besides results: tables, help, and pictures of mistakes.

#include <string>
#include <string_view>

#include "gcan/algebra/expression.h"

namespace gcan::cli {

// How values are printed.
struct Display {
  int digits = 0;     // 0 for all that the number has
  bool dust = false;  // coefficients that are rounding errors too
};
std::string value_text(const MultivectorX<double>& value, const Display& display);

// An answer on stdout, unless it is not worth showing; its hint on stderr.
void print_answer(const expression::Calculator::Answer& answer, const Display& display);

// The picture of a mistake on stderr, after the results before it.
void show_mistake(std::string_view expression, const expression::ExpressionError& error);

// Two lines: the expression, and a caret under the byte `column` of it. Only the surroundings of the caret
// are shown of a long expression, and bytes that a terminal cannot show are replaced.
std::string error_picture(std::string_view expression, std::size_t column);

// The product named "geometric", "outer", ...; throws UsageError for another name.
Product parse_product(const std::string& name);

// The products of all pairs of blades. Throws UsageError for an algebra whose table no screen can show.
std::string product_table(const Algebra& algebra, Product product);

// All blades with their grade, square, reverse and dual.
std::string blade_list(const Algebra& algebra);

// "e0^2 = 0, e1^2 = e2^2 = e3^2 = 1. "; nothing for an algebra without basis vectors.
std::string metric_text(const Algebra& algebra);

// The language of expressions: values, operators, functions.
std::string expression_help();

// What there is to say of a function, an operator or a constant, with an example where the algebra has it.
std::string help_about(const std::string& word, const Algebra& algebra, const Display& display);

}  // namespace gcan::cli
