#pragma once

// What `gcan algebra` prints besides results: tables, help, and pictures of mistakes.

#include <string>
#include <string_view>

#include "gcan/algebra/algebra.h"

namespace gcan::cli {

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

}  // namespace gcan::cli
