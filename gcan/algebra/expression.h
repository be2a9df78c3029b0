#pragma once

// Expressions over an algebra chosen at run time, as text: what `gcan algebra` computes, and the way to read
// back what text.h prints.
//
// Values: numbers (2, 0.5, 1E5, 1e-5), blades (e12; e31 is -e13), pi, I (the pseudoscalar), variables, and
// the functions of functions.h. An exponent needs a sign or a capital E, because 2e01 is 2 times the blade
// e01. `#` starts a comment that ends with the line.
//
// Operators, those that bind tightest first; operators of one row group from the left, but ** from the right:
//   x**3                    whole power; x**-1 is the inverse
//   2e01  2(e1 + e2)  (a)b  a number or ) directly followed by a blade, name or ( multiplies; refused after
//                           a / unless it is like 2e01, because a/4 e12 is easily misread
//   -x  +x  ~x  !x          minus, plus, reverse, Hodge dual
//   ^  |  &  <<  >>         outer, inner, regressive product, left and right contraction
//   *  /  >>>               geometric product, times the inverse, sandwich (versor >>> x)
//   +  -                    sum, difference
//
// Statements are separated by `;`, and `name = expression` keeps a value under a name.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "gcan/algebra/multivector_x.h"

namespace gcan::expression {

// What is wrong with an expression, and where.
struct ExpressionError : Error {
  ExpressionError(const std::string& message, std::size_t place) : Error(message), column(place) {}
  std::size_t column;  // of the offending byte in the text, counted from 0; the text's size for its end
};

// Evaluates expressions and keeps variables from one to the next.
//
//   gcan::expression::Calculator calculator(gcan::Algebra(3));
//   calculator.run("R = exp(-pi/4 * e12)");
//   calculator.run("R >>> e1")->value;               // e2, but for rounding
class Calculator {
 public:
  using Variables = std::map<std::string, MultivectorX<double>, std::less<>>;

  // Longer texts and deeper nesting are refused, before they exhaust memory or the stack.
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  static constexpr int kDeepestNesting = 200;

  explicit Calculator(const Algebra& algebra) : algebra_(algebra) {}

  [[nodiscard]] const Algebra& algebra() const { return algebra_; }
  [[nodiscard]] const Variables& variables() const { return variables_; }

  struct Answer {
    std::string variable;  // that the last statement assigns to; empty when it assigns to none
    MultivectorX<double> value;
    bool quiet = false;  // the text ends in `;`: its value is not worth showing
    std::string hint;    // a sentence where the text has a value, but probably not the one that was meant
  };

  // Runs all statements and answers with the last one; nothing for a text without a statement. The variable
  // `ans` always has the value of the statement before. Throws ExpressionError; what the statements before
  // the mistake assigned stays.
  std::optional<Answer> run(std::string_view text);

 private:
  Algebra algebra_;
  Variables variables_;
};

// The value of an expression: expression::evaluate(pga, "(1 + 2e01) * (e1 - e23)"). What to_string gives for
// a multivector with finite coefficients evaluates to exactly that multivector.
MultivectorX<double> evaluate(const Algebra& algebra, std::string_view text);

// The same as a compile-time multivector: expression::parse<KVector<kPga3d, 2, float>>("e12 - 2e01"). Throws
// Error when the value has a blade that M does not store.
template <class M>
M parse(std::string_view text) {
  return evaluate(Algebra(M::kSignature), text).template as<M>();
}

}  // namespace gcan::expression
