#include "gcan/algebra/expression.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <utility>

#include "gcan/algebra/functions.h"
#include "gcan/algebra/inverse.h"
#include "gcan/algebra/text.h"
#include "gcan/algebra/versor.h"
#include "gcan/base/spelling.h"

namespace gcan::expression {
namespace {

using Multivec = MultivectorX<double>;

// ---- from characters to tokens --------------------------------------------------------------------------

enum class Kind { number, name, symbol, end };

struct Token {
  Kind kind = Kind::end;
  std::string_view text;
  std::size_t column = 0;

  [[nodiscard]] bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
};

// Not those of <cctype>, which depend on the locale.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string quoted(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string result = "'";
  result.append(text.substr(0, kMost)).append(text.size() > kMost ? "...'" : "'");
  return result;
}

// The character at the start of the text, as shown to the user.
std::string character_text(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text.front());
  if (byte >= 0x20 && byte < 0x7f) return quoted(text.substr(0, 1));
  const std::size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
  const auto rest = text.substr(1, length - 1);
  const bool utf8 = byte >= 0xc2 && byte < 0xf5 && rest.size() == length - 1 &&
                    std::all_of(rest.begin(), rest.end(), [](char c) { return (c & 0xc0) == 0x80; });
  if (utf8) return quoted(text.substr(0, length));
  constexpr const char* kHex = "0123456789abcdef";
  return std::string("with the code 0x") + kHex[byte >> 4] + kHex[byte & 15];
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Token next() {
    skip_blanks();
    const std::size_t start = at_;
    if (at_ == text_.size()) return {Kind::end, {}, start};
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return token(Kind::number, number_end());
    if (is_letter(peek())) {
      std::size_t end = at_;
      while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
      return token(Kind::name, end);
    }
    for (const std::string_view symbol : {">>>", "**", "<<", ">>"}) {
      if (text_.substr(at_).starts_with(symbol)) return token(Kind::symbol, at_ + symbol.size());
    }
    if (std::string_view("*/^|&+-~!(),;=").find(peek()) != std::string_view::npos) {
      return token(Kind::symbol, at_ + 1);
    }
    throw ExpressionError("the character " + character_text(text_.substr(at_)) + " has no meaning here" +
                              (peek() == '[' ? "; a vector is a sum: 3e1 + 4e2" : ""),
                          at_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const { return peek_at(at_ + ahead); }
  [[nodiscard]] char peek_at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  void skip_blanks() {
    while (at_ < text_.size() && (is_space(text_[at_]) || text_[at_] == '#')) {
      at_ = text_[at_] == '#' ? std::min(text_.find('\n', at_), text_.size()) : at_ + 1;
    }
  }

  [[nodiscard]] std::size_t digits_end(std::size_t i) const {
    while (is_digit(peek_at(i))) ++i;
    return i;
  }
  [[nodiscard]] std::size_t number_end() const {
    std::size_t end = digits_end(at_);
    if (peek_at(end) == '.') end = digits_end(end + 1);
    const bool sign = peek_at(end + 1) == '+' || peek_at(end + 1) == '-';
    const std::size_t digits = end + (sign ? 2 : 1);
    // 2e01 is 2 times a blade: an exponent needs a sign or a capital E.
    const bool exponent = peek_at(end) == 'E' || (peek_at(end) == 'e' && sign);
    return exponent && is_digit(peek_at(digits)) ? digits_end(digits) : end;
  }

  Token token(Kind kind, std::size_t end) {
    const std::size_t start = std::exchange(at_, end);
    return {kind, text_.substr(start, end - start), start};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// ---- values and operators -------------------------------------------------------------------------------

bool is_number(const Multivec& x) {
  return x.only([](Blade b) { return b == 0; });
}

// Dividing by a number is exact to rounding, which multiplying by its inverse is not: 7 / 5 must be 1.4.
Multivec quotient(const Multivec& a, const Multivec& b) {
  if (!is_number(b) || b.is_zero()) return a / b;
  auto terms = a.terms();
  for (auto& term : terms) term.coefficient /= b.scalar();
  return {a.algebra(), std::move(terms)};
}

Multivec power(const Multivec& base, const Multivec& exponent) {
  constexpr double kMost = 1 << 30;
  const double k = exponent.scalar();
  if (!is_number(exponent) || k != std::floor(k) || std::abs(k) > kMost) {
    throw Error("an exponent must be a whole number up to 2**30, not " + to_string(exponent, 6) +
                "; use exp(t log(x)) for other powers");
  }
  Multivec square = k < 0 ? inverse(base) : base;
  Multivec result(base.algebra(), 1.0);
  for (auto bits = static_cast<std::uint32_t>(std::abs(k)); bits != 0; bits >>= 1) {
    if ((bits & 1) != 0) result = result * square;
    if (bits > 1) square = square * square;
  }
  return result;
}

struct Operator {
  std::string_view symbol;
  int level;  // the higher the tighter; + and - are below these
  Multivec (*apply)(const Multivec&, const Multivec&);
};

constexpr int kLoosest = 0;
constexpr int kTightest = 1;

constexpr Operator kOperators[] = {
    {"*", kLoosest, [](const Multivec& a, const Multivec& b) { return a * b; }},
    {"/", kLoosest, quotient},
    {">>>", kLoosest, [](const Multivec& a, const Multivec& b) { return sandwich(a, b); }},
    {"^", kTightest, [](const Multivec& a, const Multivec& b) { return a ^ b; }},
    {"|", kTightest, [](const Multivec& a, const Multivec& b) { return a | b; }},
    {"&", kTightest, [](const Multivec& a, const Multivec& b) { return a & b; }},
    {"<<", kTightest, [](const Multivec& a, const Multivec& b) { return a << b; }},
    {">>", kTightest, [](const Multivec& a, const Multivec& b) { return a >> b; }},
};

const Operator* find_operator(const Token& token, int level) {
  for (const Operator& candidate : kOperators) {
    if (candidate.level == level && token.is(candidate.symbol)) return &candidate;
  }
  return nullptr;
}

// Reserved for blades in every algebra, so that the meaning of a name does not depend on the signature.
bool looks_like_blade(std::string_view name) {
  return name.size() > 1 && name[0] == 'e' && std::all_of(name.begin() + 1, name.end(), [](char c) {
           return is_digit(c) || (c >= 'a' && c <= 'c');
         });
}

constexpr const char* kPowerHint = "^ is the outer product, which multiplies by a number; use ** for powers";

// Names in other programs.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"ln", "log(x)"},
    {"arcsin", "asin(t)"},
    {"arccos", "acos(t)"},
    {"arctan", "atan(t)"},
    {"arctan2", "atan2(y, x)"},
    {"length", "norm(x)"},
    {"magnitude", "norm(x)"},
    {"mag", "norm(x)"},
    {"rev", "~x"},
    {"inv", "inverse(x)"},
    {"pow", "x**k"},
    {"power", "x**k"},
    {"wedge", "a ^ b"},
    {"dot", "a | b"},
    {"vee", "a & b"},
    {"cross", "!(a ^ b)"},
    {"e", "exp(1)"},
    {"i", "I"},
    {"PI", "pi"},
    {"Pi", "pi"},
};

bool is_constant(std::string_view name) { return name == "pi" || name == "I"; }

// ---- from tokens to values ------------------------------------------------------------------------------

// Recursive descent that evaluates while it reads. Every recursion passes through `powers`, which counts it.
class Parser {
 public:
  Parser(const Algebra& algebra, Calculator::Variables& variables, std::string_view text)
      : algebra_(algebra), variables_(variables), lexer_(text), token_(lexer_.next()) {}

  std::optional<Calculator::Answer> statements() {
    std::optional<Calculator::Answer> answer;
    while (true) {
      while (token_.is(";")) {
        take();
        if (answer) answer->quiet = true;
      }
      if (token_.kind == Kind::end) return answer;
      hint_.clear();
      answer = statement();
      answer->hint = hint_;
      if (token_.kind != Kind::end && !token_.is(";")) unexpected_after_value();
    }
  }

 private:
  Token take() {
    previous_ = std::exchange(token_, lexer_.next());
    return previous_;
  }

  [[noreturn]] static void fail(const Token& place, const std::string& message) {
    throw ExpressionError(message, place.column);
  }

  // A computation for a token, to which the library's errors and overflow are attributed.
  template <class Call>
  static Multivec computed(const Token& place, Call call) {
    try {
      Multivec result = call();
      const auto finite = [](const Multivec::Term& term) { return std::isfinite(term.coefficient); };
      if (std::all_of(result.terms().begin(), result.terms().end(), finite)) return result;
    } catch (const Error& error) {
      fail(place, error.what());
    }
    std::string message = "the result of ";
    fail(place, message.append(place.text).append(" is not finite: too large for a number, or undefined"));
  }

  Calculator::Answer statement() {
    std::string variable;
    const Lexer before = lexer_;
    if (token_.kind == Kind::name) {
      const Token name = take();
      if (token_.is("=")) {
        require_free(name);
        take();
        variable = name.text;
      } else {
        lexer_ = before;
        token_ = name;
      }
    }
    Multivec value = sum();
    if (!variable.empty()) variables_.insert_or_assign(variable, value);
    variables_.insert_or_assign("ans", value);
    return {std::move(variable), std::move(value), false, {}};
  }

  static void require_free(const Token& name) {
    const char* taken = nullptr;
    if (looks_like_blade(name.text)) taken = " is reserved for a blade";
    if (is_constant(name.text)) taken = " is a constant";
    if (find_function(name.text) != nullptr) taken = " is a function";
    if (taken != nullptr) fail(name, quoted(name.text) + taken + " and cannot be assigned to");
  }

  Multivec sum() {
    Multivec total = binary(kLoosest);
    if (!token_.is("+") && !token_.is("-")) return total;
    const Token first = token_;
    // Collected and summed in batches: adding terms one by one would sort all terms each time.
    auto terms = total.terms();
    const auto add_up = [&] { return Multivec(algebra_, std::exchange(terms, {})); };
    while (token_.is("+") || token_.is("-")) {
      const bool minus = take().is("-");
      const Multivec summand = binary(kLoosest);
      for (const auto& [blade, coefficient] : summand.terms()) {
        terms.push_back({blade, minus ? -coefficient : coefficient});
      }
      if (terms.size() > 2 * std::size_t{algebra_.signature().blade_count()}) terms = add_up().terms();
    }
    return computed(first, add_up);
  }

  Multivec binary(int level) {
    const auto operand = [&] { return level == kTightest ? unary() : binary(level + 1); };
    Multivec left = operand();
    while (const Operator* const found = find_operator(token_, level)) {
      const Token place = take();
      if (place.is("/")) divisor_ = token_.column;
      const Multivec right = operand();
      if (place.is("^") && is_number(right)) hint_ = kPowerHint;
      left = computed(place, [&] { return found->apply(left, right); });
    }
    return left;
  }

  Multivec unary() {
    std::string signs;
    while (token_.is("-") || token_.is("+") || token_.is("~") || token_.is("!")) signs += take().text;
    Multivec x = juxtaposed();
    std::reverse(signs.begin(), signs.end());  // the last one stands next to x
    for (const char sign : signs) {
      if (sign == '-') x = -x;
      if (sign == '~') x = ~x;
      if (sign == '!') x = dual(x);
    }
    return x;
  }

  Multivec juxtaposed() {
    const bool divisor = token_.column == divisor_;
    Multivec left = powers();
    while ((previous_.kind == Kind::number || previous_.is(")")) &&
           (token_.kind == Kind::name || token_.is("("))) {
      const Token place = token_;
      // pi/4 e12 is pi/(4 e12) by precedence, but most readers expect (pi/4) e12: better an error than a
      // surprise.
      if (divisor && (place.is("(") || place.column > previous_.column + previous_.text.size())) {
        fail(place, "this division is ambiguous: write (a/b) * c or a/(b * c)");
      }
      const Multivec right = powers();
      left = computed(place, [&] { return left * right; });
    }
    return left;
  }

  Multivec powers() {
    if (++depth_ > Calculator::kDeepestNesting) {
      fail(token_, "the expression has more than " + std::to_string(Calculator::kDeepestNesting) +
                       " nested levels: use variables for its parts");
    }
    Multivec x = primary();
    if (token_.is("**")) {
      const Token place = take();
      const bool signed_exponent = token_.is("-") || token_.is("+");
      const bool minus = signed_exponent && take().is("-");
      const Multivec exponent = powers();
      x = computed(place, [&] { return power(x, minus ? -exponent : exponent); });
    }
    --depth_;
    return x;
  }

  Multivec primary() {
    const Token start = token_;
    switch (start.kind) {
      case Kind::number: take(); return Multivec(algebra_, number(start));
      case Kind::name: {
        const bool adjacent =
            previous_.kind == Kind::number && previous_.column + previous_.text.size() == start.column;
        const Token before = previous_;
        take();
        if (token_.is("(")) return call(start);
        return looks_like_blade(start.text) ? blade(start, adjacent ? before.text : "") : named(start);
      }
      case Kind::end: fail(start, "the expression ends, but a value was expected");
      case Kind::symbol: break;
    }
    if (!start.is("("))
      fail(start, "expected a number, a blade, a name or '(' instead of " + quoted(start.text) +
                      (start.is("|") ? "; the absolute value is norm(x)" : ""));
    take();
    Multivec x = sum();
    close(start);
    return x;
  }

  static double number(const Token& token) {
    double value = 0;
    const char* const end = token.text.data() + token.text.size();
    const auto [stop, problem] = std::from_chars(token.text.data(), end, value);
    if (problem == std::errc::result_out_of_range) {
      fail(token,
           "the number " + quoted(token.text) + " is out of range: a double is from 4.9e-324 to 1.8e+308");
    }
    if (problem != std::errc{} || stop != end) fail(token, quoted(token.text) + " is not a number");
    return value;
  }

  // `factor` is the number directly before it, if any.
  [[nodiscard]] Multivec blade(const Token& name, std::string_view factor) const {
    const ParsedBlade parsed = parse_blade(algebra_.signature(), name.text);
    if (parsed.problem == ParsedBlade::Problem::none) {
      return {algebra_, {{parsed.value.blade, static_cast<double>(parsed.value.sign)}}};
    }
    std::size_t index = name.text.find(parsed.index, 1);
    if (parsed.problem == ParsedBlade::Problem::repeated_index)
      index = name.text.find(parsed.index, index + 1);
    try {
      return Multivec::unit(algebra_, name.text);
    } catch (const Error& error) {
      std::string message = error.what();
      const auto digits = name.text.substr(1);
      if (!factor.empty() && std::all_of(digits.begin(), digits.end(), is_digit)) {
        message.append("; the number is written ").append(factor).append("E").append(digits);
      }
      throw ExpressionError(message, name.column + index);
    }
  }

  // A name without arguments that is not a blade.
  [[nodiscard]] Multivec named(const Token& name) const {
    if (const auto found = variables_.find(name.text); found != variables_.end()) return found->second;
    if (name.text == "pi") return Multivec(algebra_, std::numbers::pi);
    if (name.text == "I") return {algebra_, {{algebra_.pseudoscalar(), 1.0}}};
    if (const Function* const function = find_function(name.text)) {
      fail(name, quoted(name.text) + " is a function: write " + usage_of_function(function->name));
    }
    if (name.text == "ans") fail(name, "'ans' has no value yet: it is the result of the previous statement");
    std::vector<std::string> known{"pi", "I"};
    for (const auto& [variable, value] : variables_) known.push_back(variable);
    // Large algebras have too many blades to search.
    constexpr int kSmall = 6;
    for (const Blade b : algebra_.dimension() <= kSmall ? algebra_.blades() : algebra_.blades(1)) {
      if (b != 0) known.push_back(algebra_.name(b));
    }
    fail(name, "there is no variable, constant or blade " + quoted(name.text) +
                   did_you_mean(name.text, std::move(known)));
  }

  Multivec call(const Token& name) {
    const Function* function = find_function(name.text);
    if (function == nullptr) not_a_function(name);
    const Token open = take();
    std::vector<Multivec> arguments;
    if (!token_.is(")")) {
      arguments.push_back(sum());
      while (token_.is(",")) {
        take();
        arguments.push_back(sum());
      }
    }
    close(open);
    function = find_function(name.text, arguments.size());
    if (function == nullptr) wrong_arity(name, arguments.size());
    return computed(name, [&] { return function->apply(arguments); });
  }

  void close(const Token& open) {
    if (token_.kind == Kind::end || token_.is(";")) fail(open, "this parenthesis is never closed");
    if (!token_.is(")")) unexpected_after_value();
    take();
  }

  [[noreturn]] static void wrong_arity(const Token& name, std::size_t given) {
    std::string numbers;
    for (const Function& function : functions()) {
      if (function.name != name.text) continue;
      numbers.append(numbers.empty() ? "" : " or ").append(std::to_string(function.arity));
    }
    fail(name, usage_of_function(name.text) + " takes " + numbers +
                   (numbers == "1" ? " argument, not " : " arguments, not ") + std::to_string(given));
  }

  static std::string did_you_mean(std::string_view word, std::vector<std::string> candidates) {
    for (const auto& [other, ours] : kOtherNames) {
      if (word == other) return "; it is " + std::string(ours) + " here";
    }
    for (const Function& function : functions()) candidates.emplace_back(function.name);
    const std::string near = base::nearest(word, candidates);
    return near.empty() ? "" : "; did you mean " + quoted(near) + "?";
  }

  [[noreturn]] void not_a_function(const Token& name) const {
    if (looks_like_blade(name.text) || is_constant(name.text) || variables_.contains(name.text)) {
      fail(name, quoted(name.text) + " is not a function: write * before the parenthesis to multiply");
    }
    fail(name, "there is no function " + quoted(name.text) + did_you_mean(name.text, {}));
  }

  // Guesses why this token follows a value.
  [[noreturn]] void unexpected_after_value() const {
    if (token_.is(")")) fail(token_, "this parenthesis has no matching opening one");
    if (token_.is("=")) fail(token_, "only 'name = expression' at the start of a statement assigns");
    if (token_.is(",")) fail(token_, "a comma may only separate the arguments of a function");
    if (token_.is("!")) fail(token_, "the dual is written before its operand: !x");
    if (token_.is("~")) fail(token_, "the reverse is written before its operand: ~x");
    fail(token_, "an operator is missing before " + quoted(token_.text) + "; * is the geometric product");
  }

  const Algebra& algebra_;
  Calculator::Variables& variables_;
  Lexer lexer_;
  Token token_;     // the next one
  Token previous_;  // the one taken last
  int depth_ = 0;
  std::string hint_;
  std::optional<std::size_t> divisor_;  // where the operand of the last / starts
};

}  // namespace

std::optional<Calculator::Answer> Calculator::run(std::string_view text) {
  if (text.size() > kMostBytes) {
    throw ExpressionError("the expression is longer than " + std::to_string(kMostBytes) + " characters",
                          kMostBytes);
  }
  return Parser(algebra_, variables_, text).statements();
}

MultivectorX<double> evaluate(const Algebra& algebra, std::string_view text) {
  const auto answer = Calculator(algebra).run(text);
  if (!answer) throw ExpressionError("the expression is empty", 0);
  return answer->value;
}

}  // namespace gcan::expression
