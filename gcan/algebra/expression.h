#pragma once

// Parses and evaluates expressions over a run-time algebra: the language of `gcan algebra`, and the parser
// for what text.h prints.
//
// Values: numbers (2, 0.5, 1E5, 1e-5), blades (e12; e31 is -e13), pi, I (the pseudoscalar), variables, and
// calls of the functions in functions.h. An exponent needs a sign or a capital E, because 2e01 is 2 times the
// blade e01. `#` starts a comment.
//
// Operators, in order of decreasing precedence; all are left-associative except **:
//   x**3                    whole power; x**-1 is the inverse
//   2e01  2(e1 + e2)  (a)b  a number or ) directly followed by a blade, name or ( multiplies; refused after
//                           a / unless it is like 2e01, because a/4 e12 is easily misread
//   -x  +x  ~x  !x          minus, plus, reverse, Hodge dual
//   ^  |  &  <<  >>         outer, inner, regressive product, left and right contraction
//   *  /  >>>               geometric product, times the inverse, sandwich (versor >>> x)
//   +  -                    sum, difference
//
// `;` separates statements, and `name = expression` assigns a variable.

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
  std::size_t column;  // byte offset of the problem, from 0; the length of the text if it ends too early
};

// Evaluates expressions and keeps their variables.
//
//   gcan::expression::Calculator calculator(gcan::Algebra(3));
//   calculator.run("R = exp(-pi/4 * e12)");
//   calculator.run("R >>> e1")->value;               // e2, but for rounding
class Calculator {
 public:
  using Variables = std::map<std::string, MultivectorX<double>, std::less<>>;

  // Longer expressions and deeper nesting are rejected before they exhaust memory or the stack.
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  static constexpr int kDeepestNesting = 200;

  explicit Calculator(const Algebra& algebra) : algebra_(algebra) {}

  [[nodiscard]] const Algebra& algebra() const { return algebra_; }
  [[nodiscard]] const Variables& variables() const { return variables_; }

  struct Answer {
    std::string variable;  // that the last statement assigns to; empty if none
    MultivectorX<double> value;
    bool quiet = false;  // the text ends in `;`, so its value is not printed
    std::string hint;    // a warning that the expression probably does not mean what was intended
  };

  // Runs all statements and returns the result of the last one, or nothing if there is no statement. The
  // variable `ans` holds the value of the previous statement. Throws ExpressionError; assignments made before
  // the error are kept.
  std::optional<Answer> run(std::string_view text);

 private:
  Algebra algebra_;
  Variables variables_;
};

// The value of an expression: expression::evaluate(pga, "(1 + 2e01) * (e1 - e23)"). What to_string gives for
// a multivector with finite coefficients evaluates to exactly that multivector.
MultivectorX<double> evaluate(const Algebra& algebra, std::string_view text);

// The same as a compile-time multivector: expression::parse<KVector<kPga3d, 2, float>>("e12 - 2e01"). Throws
// Error if the value has a blade that M does not store.
template <class M>
M parse(std::string_view text) {
  return evaluate(Algebra(M::kSignature), text).template as<M>();
}

}  // namespace gcan::expression
