#include "gcan/cli/commands/algebra_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <utility>
#include <vector>

#include "gcan/algebra/functions.h"
#include "gcan/algebra/text.h"
#include "gcan/base/columns.h"
#include "gcan/base/spelling.h"
#include "gcan/cli/frame/usage.h"

namespace gcan::cli {
namespace {

constexpr std::pair<const char*, Product> kProducts[] = {
    {"geometric", Product::geometric},
    {"outer", Product::outer},
    {"inner", Product::inner},
    {"left", Product::left_contraction},
    {"right", Product::right_contraction},
    {"regressive", Product::regressive},
    {"scalar", Product::scalar},
    {"commutator", Product::commutator},
};

constexpr const char* kLanguage = R"(Values:
  2  0.5  1e-5  1E5          numbers; an exponent needs a sign or a capital E, because
  e1  e12  2e01              2e01 is 2 times the blade e01; e31 is -e13
  pi  I  ans                 I is the pseudoscalar, ans the previous result
  name = expression          assigns a variable; ; separates statements
Operators, in order of decreasing precedence:
  x**3  x**-1                whole powers
  2e01  2(e1 + e2)           a number or ) directly followed by a blade, name or ( multiplies
  -x  ~x  !x                 minus, reverse, Hodge dual
  a^b  a|b  a&b  a<<b  a>>b  outer, inner, regressive product, left and right contraction
  a*b  a/b  v>>>x            geometric product, times the inverse, sandwich (applies the versor v to x)
  a+b  a-b                   sum, difference
Functions:
)";

constexpr std::size_t kHelpColumn = 29;

std::string function_row(const expression::Function& function) {
  return fmt::format("  {:<27}{}\n", fmt::format("{}({})", function.name, function.parameters),
                     function.help);
}

// Whether a row of the help, such as "a^b a|b a&b a<<b a>>b", contains the operator.
bool names_symbol(const std::string& row, const std::string& symbol) {
  std::istringstream words(row);
  for (std::string word; words >> word;) {
    if (word == symbol) return true;
    std::erase_if(word, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
    if (!word.empty() && word == symbol) return true;
  }
  return false;
}

// Shown with their values by `help exp`.
constexpr std::pair<const char*, const char*> kHelpExamples[] = {
    {"exp", "exp(-pi/4 * e12)"},
    {"log", "log(exp(-pi/4 * e12))"},
    {"sqrt", "sqrt(exp(-pi/2 * e12))"},
    {"sandwich", "sandwich(exp(-pi/4 * e12), e1)"},
    {">>>", "exp(-pi/4 * e12) >>> e1"},
    {"^", "e1 ^ (e1 + 2e2)"},
    {"|", "e1 | (3e1 + e12)"},
    {"*", "(e1 + 2e2) * e2"},
    {"/", "e12 / e2"},
    {"**", "(1 + e12)**2"},
    {"~", "~(1 + e12)"},
    {"grade", "grade(1 + e1 + e12, 2)"},
    {"inverse", "inverse(2e12)"},
    {"dual", "dual(e1)"},
    {"norm", "norm(3e1 + 4e2)"},
    {"commutator", "commutator(e1, e2)"},
    {"point", "point(1, 2, 3)"},
    {"point", "point(1, 2)"},
    {"line", "line(point(0, 0, 0), point(0, 0, 1))"},
    {"line", "line(point(0, 0), point(1, 1))"},
    {"plane", "plane(1, 0, 0, -2)"},
    {"translator", "translator(1, 0, 0) >>> point(1, 2, 3)"},
    {"translator", "translator(1, 0) >>> point(1, 2)"},
    {"motor", "motor(line(point(1, 0, 0), point(1, 0, 1)), pi/2) >>> point(3, 0, 0)"},
    {"motor", "motor(point(1, 0), pi/2) >>> point(2, 0)"},
    {"atan2", "atan2(1, -1)"},
};

// The example and its value; empty if this algebra cannot compute it.
std::string example_text(const char* example, const Algebra& algebra, const Display& display) {
  try {
    return fmt::format("  Example: {} = {}\n", example,
                       value_text(expression::evaluate(algebra, example), display));
  } catch (const Error&) {
    return "";
  }
}

std::string signed_name(const Algebra& algebra, SignedBlade value) {
  if (value.sign == 0) return "0";
  return fmt::format("{}{}", value.sign < 0 ? "-" : "", algebra.name(value.blade));
}

bool is_continuation(char c) { return (c & 0xc0) == 0x80; }

// One printable column per character, which aligns the caret.
struct Screen {
  std::vector<std::string> cells;
  std::size_t caret = 0;
};

Screen screen_of(std::string_view text, std::size_t column) {
  Screen screen;
  for (std::size_t i = 0; i < text.size();) {
    if (i <= column) screen.caret = screen.cells.size();
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t wanted = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    std::size_t length = 1;
    while (length < wanted && i + length < text.size() && is_continuation(text[i + length])) ++length;
    const bool whole = length == wanted && byte != 0x7f && (byte < 0x80 || (byte >= 0xc2 && byte < 0xf5));
    if (!whole) length = 1;
    screen.cells.emplace_back(byte < 0x20 ? " " : whole ? text.substr(i, length) : "?");
    i += length;
  }
  if (column >= text.size()) screen.caret = screen.cells.size();
  return screen;
}

}  // namespace

std::string error_picture(std::string_view expression, std::size_t column) {
  constexpr std::size_t kWidth = 72;
  const Screen screen = screen_of(expression, column);
  const std::size_t size = screen.cells.size();
  std::size_t begin = 0;
  if (size > kWidth)
    begin = std::min(screen.caret > kWidth / 2 ? screen.caret - kWidth / 2 : 0, size - kWidth);
  const std::size_t end = std::min(size, begin + kWidth);
  std::string line = begin > 0 ? "  ..." : "  ";
  const std::size_t indent = line.size() + (screen.caret - begin);
  for (std::size_t i = begin; i < end; ++i) line += screen.cells[i];
  if (end < size) line += "...";
  return fmt::format("{}\n{:>{}}\n", line, "^", indent + 1);
}

Product parse_product(const std::string& name) {
  std::string names;
  for (const auto& [known, product] : kProducts) {
    if (name == known) return product;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", known);
  }
  throw UsageError(fmt::format("--product expects one of {}, not '{}'", names, name));
}

std::string product_table(const Algebra& algebra, Product product) {
  constexpr int kLargest = 6;
  if (algebra.dimension() > kLargest) {
    throw UsageError(
        fmt::format("the table of {} has {} x {} entries, which do not fit on a screen; --table "
                    "supports up to {} dimensions; compute single products as expressions",
                    algebra.to_string(), 1 << algebra.dimension(), 1 << algebra.dimension(), kLargest));
  }
  const std::vector<Blade> blades = algebra.blades();
  std::vector<std::vector<std::string>> rows{{""}};
  for (const Blade b : blades) rows.front().push_back(algebra.name(b));
  for (const Blade a : blades) {
    rows.push_back({algebra.name(a)});
    for (const Blade b : blades) {
      rows.back().push_back(signed_name(algebra, multiply(product, algebra.signature(), a, b)));
    }
  }
  std::string text = base::in_columns(rows, {"r", "  ", " | "});
  const std::size_t width = text.find('\n');
  std::string rule(width, '-');
  rule[rows.back().front().size() + 1] = '+';
  return text.insert(width + 1, rule + "\n");
}

std::string blade_list(const Algebra& algebra) {
  const Signature s = algebra.signature();
  std::vector<std::vector<std::string>> rows{{"blade", "grade", "square", "reverse", "dual"}};
  for (const Blade b : algebra.blades()) {
    rows.push_back({algebra.name(b), fmt::format("{}", grade(b)), fmt::format("{}", geometric(s, b, b).sign),
                    signed_name(algebra, {b, reverse_sign(b)}), signed_name(algebra, hodge_dual(s, b))});
  }
  return base::in_columns(rows, {"r"});
}

std::string metric_text(const Algebra& algebra) {
  std::string text;
  for (int i = 0; i < algebra.dimension(); ++i) {
    const int square = algebra.signature().metric(i);
    text += fmt::format("{}^2 = ", algebra.name(Blade{1} << i));
    const bool last_of_kind = i + 1 == algebra.dimension() || algebra.signature().metric(i + 1) != square;
    if (last_of_kind) text += fmt::format("{}{}", square, i + 1 == algebra.dimension() ? ". " : ", ");
  }
  return text;
}

std::string value_text(const MultivectorX<double>& value, const Display& display) {
  return to_string(display.dust ? value : without_dust(value), display.digits);
}

void print_answer(const expression::Calculator::Answer& answer, const Display& display) {
  if (!answer.quiet) {
    if (!answer.variable.empty()) fmt::print("{} = ", answer.variable);
    fmt::print("{}\n", value_text(answer.value, display));
  }
  if (answer.hint.empty()) return;
  std::fflush(stdout);
  fmt::print(stderr, "note: {}\n", answer.hint);
}

void show_mistake(std::string_view expression, const expression::ExpressionError& error) {
  std::fflush(stdout);
  std::cerr << error_picture(expression, error.column);
}

std::string help_about(const std::string& word, const Algebra& algebra, const Display& display) {
  std::string text;
  std::vector<std::string> known;
  for (const expression::Function& function : expression::functions()) {
    known.emplace_back(function.name);
    if (function.name == word) text += function_row(function);
  }
  // The lines of the help that contain the word before the explanation.
  std::istringstream lines(kLanguage);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  ") && names_symbol(line.substr(0, kHelpColumn), word)) text += line + "\n";
  }
  if (text.empty()) {
    return fmt::format("there is no help for '{}'{}\n", word,
                       base::did_you_mean(word, known, "; help alone lists all functions and operators"));
  }
  for (const auto& [name, example] : kHelpExamples) {
    if (word == name) text += example_text(example, algebra, display);
  }
  return text;
}

std::string expression_help() {
  std::string text = kLanguage;
  for (const expression::Function& function : expression::functions()) {
    text += function_row(function);
  }
  return text;
}

}  // namespace gcan::cli
