// The calculator of `gcan algebra` for the page's program (web/src/playground): opens an algebra, then runs
// statements one by one. Results are JSON, valid until the next call.

#include <cstdint>
#include <optional>
#include <string>

#include "gcan/algebra/expression.h"
#include "gcan/algebra/functions.h"
#include "gcan/algebra/text.h"

namespace {

std::optional<gcan::expression::Calculator> calculator;
std::string answer;

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      result += ' ';
    else
      result += c;
  }
  return result + '"';
}

const char* give(std::string json) {
  answer = std::move(json);
  return answer.c_str();
}

const char* problem(const std::string& text, std::size_t column) {
  return give("{\"problem\":" + quoted(text) + ",\"column\":" + std::to_string(column) + "}");
}

// A list of `item` for each blade.
template <class Item>
std::string by_blade(const gcan::Algebra& algebra, const Item& item) {
  std::string list = "[";
  for (const gcan::Blade blade : algebra.blades()) list += (list.size() > 1 ? "," : "") + item(blade);
  return list + "]";
}

std::string number(double value) {
  if (!(value - value == 0)) return "null";  // JSON only has finite numbers
  return gcan::to_string(gcan::MultivectorX<double>(calculator->algebra(), value));
}

}  // namespace

extern "C" {

const char* gcan_open(const char* signature) {
  try {
    const gcan::Algebra algebra = gcan::Algebra::parse(signature);
    if (algebra.dimension() > 6) return problem("this page shows algebras of up to 6 dimensions", 0);
    calculator.emplace(algebra);
    return give("{\"name\":" + quoted(algebra.to_string()) + ",\"blades\":" +
                by_blade(algebra, [&](gcan::Blade blade) { return quoted(algebra.name(blade)); }) + "}");
  } catch (const std::exception& error) {
    return problem(error.what(), 0);
  }
}

const char* gcan_run(const char* text) {
  try {
    const auto result = calculator->run(text);
    if (!result) return give("{}");
    const gcan::Algebra& algebra = calculator->algebra();
    const auto value = gcan::without_dust(result->value);
    return give("{\"variable\":" + quoted(result->variable) +
                ",\"text\":" + quoted(gcan::to_string(value, 10)) +
                ",\"quiet\":" + (result->quiet ? "true" : "false") + ",\"values\":" +
                by_blade(algebra, [&](gcan::Blade blade) { return number(value.coefficient(blade)); }) + "}");
  } catch (const gcan::expression::ExpressionError& error) {
    return problem(error.what(), error.column);
  } catch (const std::exception& error) {
    return problem(error.what(), 0);
  }
}

// The products of all pairs of blades, in the order of the page's list.
const char* gcan_table(int product) {
  using gcan::Product;
  constexpr Product kProducts[] = {Product::geometric,
                                   Product::outer,
                                   Product::inner,
                                   Product::regressive,
                                   Product::left_contraction,
                                   Product::right_contraction,
                                   Product::scalar,
                                   Product::commutator};
  const gcan::Algebra& algebra = calculator->algebra();
  const auto of = [&](gcan::Blade blade) { return gcan::MultivectorX<double>(algebra, {{blade, 1.0}}); };
  return give(by_blade(algebra, [&](gcan::Blade left) {
    return by_blade(algebra, [&](gcan::Blade right) {
      return quoted(gcan::to_string(multiply(kProducts[product & 7], of(left), of(right))));
    });
  }));
}

}  // extern "C"
