// gcan algebra: a calculator for geometric algebra of any signature, on the command line, in a pipe or at a
// prompt.

#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gcan/algebra/expression.h"
#include "gcan/algebra/text.h"
#include "gcan/cli/commands/algebra_text.h"
#include "gcan/cli/frame/command.h"
#include "gcan/cli/frame/usage.h"

namespace gcan::cli {
namespace {

constexpr int kMostDigits = 17;

// In single quotes, because shells have a meaning for ! in double ones.
constexpr const char* kExamples = R"text(
Examples:
  gcan algebra 3,0,1 '(1 + 2e01) * (e1 - e23)'
  gcan algebra 2,0,0 'e1 >>> (3e1 + 4e2)'            reflect in the line across e1
  gcan algebra 3,0,0 'R = exp(-pi/4 * e12); R >>> e1'
                                                     turn e1 by 90 degrees towards e2
  gcan algebra 3,0,1 'T = 1 - 2.5e01;' 'T >>> !(e0 + e1)'
                                                     move the point (1, 0, 0) by 5 along x
  gcan algebra 3,0,1 '!(e0 + e1) & !(e0 + e2)'       join two points in a line
  gcan algebra 1,3,0 'exp(0.5 e12) >>> e1'           a Lorentz boost
  gcan algebra 2,0,1 --table --product outer
  gcan algebra 3,0,1                                 a prompt; help lists what it knows)text";

struct Arguments {
  std::string digits = "10";
  std::string product;
  bool exact = false;
  bool table = false;
  bool blades = false;
};

struct Display {
  int digits = 0;  // 0 for all that the number has
  bool dust = false;
};

// The signature and the expressions are not known to CLI11: it takes "-e1" for an option, so they are what it
// leaves over. This makes up for it in the help.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* /*app*/, std::string name) const override {
    return fmt::format("Usage: {} [OPTIONS] p,q,r [EXPRESSION...]\n", name);
  }
  std::string make_positionals(const CLI::App* /*app*/) const override {
    return "\nPositionals:\n"
           "  p,q,r                       Signature: how many basis vectors square to 1, -1 and 0\n"
           "  EXPRESSION                  What to compute; several share their variables. None: a prompt\n";
  }
  std::string make_footer(const CLI::App* /*app*/) const override {
    return fmt::format("{}{}\n", expression_help(), kExamples);
  }
};

Display display_of(const Arguments& arguments) {
  if (arguments.exact) return {0, true};
  Display display;
  const std::string& text = arguments.digits;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, display.digits);
  if (problem != std::errc{} || stop != end || display.digits < 1 || display.digits > kMostDigits) {
    throw UsageError(
        fmt::format("--digits expects a whole number from 1 to {}, and '{}' is not one", kMostDigits, text));
  }
  return display;
}

void print_answer(const Calculator::Answer& answer, const Display& display) {
  if (answer.quiet) return;
  const auto value = display.dust ? answer.value : without_dust(answer.value);
  if (!answer.variable.empty()) fmt::print("{} = ", answer.variable);
  fmt::print("{}\n", to_string(value, display.digits));
}

// Results that come before a mistake are to stand before it on a terminal too.
void show_mistake(std::string_view expression, const ExpressionError& error) {
  std::fflush(stdout);
  std::cerr << error_picture(expression, error.column);
}

void run_expressions(Calculator& calculator, const std::vector<std::string>& expressions,
                     const Display& display) {
  for (const std::string& expression : expressions) {
    try {
      const auto answer = calculator.run(expression);
      if (!answer) throw UsageError("an expression is empty");
      print_answer(*answer, display);
    } catch (const ExpressionError& error) {
      show_mistake(expression, error);
      throw UsageError(error.what());
    }
  }
}

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = std::min(line.find_first_not_of(kBlanks), line.size());
  return line.substr(begin, line.find_last_not_of(kBlanks) + 1 - begin);
}

// Lines from a person or from a pipe. A mistake ends neither, but a pipe's reader is told of it at the end.
void run_lines(Calculator& calculator, const Display& display) {
  const bool terminal = isatty(STDIN_FILENO) != 0;
  const std::string prompt = terminal ? calculator.algebra().to_string() + "> " : "";
  if (terminal) fmt::print("{}Type help or quit.\n", metric_text(calculator.algebra()));
  int mistakes = 0;
  std::string line;
  for (int number = 1;; ++number) {
    fmt::print("{}", prompt);
    std::fflush(stdout);
    if (!std::getline(std::cin, line)) break;
    const std::string_view word = trimmed(line);
    if (word == "quit" || word == "exit") break;
    if (word == "help") {
      fmt::print("{}", expression_help());
      continue;
    }
    try {
      if (const auto answer = calculator.run(line)) print_answer(*answer, display);
    } catch (const ExpressionError& error) {
      ++mistakes;
      show_mistake(line, error);
      std::cerr << (terminal ? "" : fmt::format("line {}: ", number)) << error.what() << '\n';
    }
  }
  if (terminal && !std::cin) fmt::print("\n");
  if (!terminal && mistakes > 0) {
    throw Error(fmt::format("{} line{} could not be computed", mistakes, mistakes == 1 ? "" : "s"));
  }
}

// What CLI11 left over: the signature and the expressions.
std::vector<std::string> positionals(const CLI::App& command) {
  std::vector<std::string> words = command.remaining();
  for (const std::string& word : words) {
    // A single minus may start an expression, two of them an option.
    if (word.starts_with("--")) reject_option(command, word);
  }
  if (words.empty()) throw UsageError("which algebra? give its signature, as in 'gcan algebra 3,0,1'");
  return words;
}

Algebra parse_algebra(const std::string& signature) {
  try {
    return Algebra::parse(signature);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

void run(const Arguments& arguments, const std::vector<std::string>& words) {
  const Display display = display_of(arguments);
  Calculator calculator(parse_algebra(words.front()));
  const std::vector<std::string> expressions(words.begin() + 1, words.end());
  const bool table = arguments.table || !arguments.product.empty();
  if (arguments.blades) fmt::print("{}", blade_list(calculator.algebra()));
  if (table) {
    const Product product = arguments.product.empty() ? Product::geometric : parse_product(arguments.product);
    fmt::print("{}", product_table(calculator.algebra(), product));
  }
  run_expressions(calculator, expressions, display);
  if (expressions.empty() && !table && !arguments.blades) run_lines(calculator, display);
}

}  // namespace

void add_algebra(CLI::App& program, Context& context) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("algebra", "Compute with multivectors of any signature");
  command
      ->add_option("--digits", arguments->digits,
                   "Significant digits, 1 to 17; default: 10. Coefficients below 1e-13 of the largest are\n"
                   "rounding dust and not shown, unless they are whole numbers")
      ->type_name("N");
  command->add_flag("--exact", arguments->exact, "All digits and all coefficients, dust too");
  command->add_flag("--table", arguments->table, "Print the table of products of all pairs of blades");
  command
      ->add_option("--product", arguments->product,
                   "The product of the table: geometric, outer, inner, left, right, regressive, scalar,\n"
                   "commutator")
      ->type_name("NAME");
  command->add_flag("--blades", arguments->blades, "List the blades with grade, square, reverse and dual");
  command->formatter(std::make_shared<HelpFormatter>());
  command->allow_extras();
  command->fallthrough(false);  // or a variable named like another command would start that one
  command->callback([&context, command, arguments] {
    context.work = [arguments, words = positionals(*command)] { run(*arguments, words); };
  });
}

}  // namespace gcan::cli
