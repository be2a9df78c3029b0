// gcan algebra: a calculator for geometric algebras, on the command line, in a pipe or at a prompt.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "gcan/algebra/expression.h"
#include "gcan/cli/commands/algebra_prompt.h"
#include "gcan/cli/commands/algebra_text.h"
#include "gcan/cli/frame/command.h"
#include "gcan/cli/frame/help.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/cli/frame/values.h"
#include "gcan/files/durable.h"
#include "gcan/report/page_frame.h"
#include "gcan/report/table.h"

namespace gcan::cli {
namespace {

constexpr int kMostDigits = 17;

// In single quotes, because shells expand ! in double quotes.
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
  gcan algebra 3,0,1                                 a prompt; help lists what it knows
  gcan algebra --page algebra.html                   a page to open in a browser)text";

struct AlgebraArguments {
  std::string digits = "10";
  std::string product;
  std::string page;
  bool exact = false;
  bool table = false;
  bool blades = false;
};

Display display_of(const AlgebraArguments& arguments) {
  if (arguments.exact) return {0, true};
  return {whole_number("--digits", arguments.digits, 1, kMostDigits)};
}

void run_expressions(expression::Calculator& calculator, const std::vector<std::string>& expressions,
                     const Display& display) {
  for (const std::string& expression : expressions) {
    try {
      const auto answer = calculator.run(expression);
      if (!answer) throw UsageError("expected an expression, not an empty argument");
      print_answer(*answer, display);
    } catch (const expression::ExpressionError& error) {
      show_mistake(expression, error);
      throw UsageError(error.what());
    }
  }
}

// Arguments that CLI11 did not parse: the signature and the expressions.
std::vector<std::string> positionals(const CLI::App& command) {
  std::vector<std::string> words = command.remaining();
  for (const std::string& word : words) {
    // A single minus may start an expression, a double minus starts an option.
    if (word.starts_with("--")) reject_option(command, word);
  }
  if (words.empty() && command.count("--page") == 0)
    throw UsageError("missing argument p,q,r, as in 'gcan algebra 3,0,1'");
  return words;
}

Algebra parse_algebra(const std::string& signature) {
  try {
    return Algebra::parse(signature);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

// Writes the calculator as a page.
void write_page(const std::string& file) {
  const std::string html = report::page_html(
      {.title = "Geometric algebra",
       .main =
           "<h1>Geometric algebra</h1>\n<p class=\"summary\">A calculator for multivectors: gcan's own "
           "algebra "
           "library, compiled to WebAssembly. It works without a network.</p>\n<div data-playground></div>\n"
           "<h2>Language</h2>\n<pre id=\"language\">" +
           report::html_escaped(expression_help()) +
           "</pre>\n<noscript><p>The calculator needs scripts.</p></noscript>\n",
       .program = report::playground_program()});
  files::replace_durably(file, html);
  fmt::print("wrote {}\n", file);
}

void run(const AlgebraArguments& arguments, const std::vector<std::string>& words) {
  const Display display = display_of(arguments);
  expression::Calculator calculator(parse_algebra(words.front()));
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
  const auto arguments = std::make_shared<AlgebraArguments>();
  CLI::App* command = program.add_subcommand("algebra", "Compute with multivectors of any signature");
  command
      ->add_option("--digits", arguments->digits,
                   "Significant digits, 1 to 17; default: 10. Coefficients below 1e-13 of the largest are "
                   "hidden as rounding errors, unless they are integers")
      ->type_name("N");
  command->add_flag("--exact", arguments->exact,
                    "All digits and all coefficients, including rounding errors");
  command->add_flag("--table", arguments->table, "Print the multiplication table of the basis blades");
  command
      ->add_option("--product", arguments->product,
                   "Product of the table: geometric, outer, inner, left, right, regressive, scalar, "
                   "commutator")
      ->type_name("NAME");
  command->add_flag("--blades", arguments->blades, "List the blades with grade, square, reverse and dual");
  command
      ->add_option("--page", arguments->page,
                   "Write the calculator as a page for browsers, with pictures in 2,0,1 and 3,0,1")
      ->type_name("FILE.html");
  // CLI11 parses "-e1" as an option, so the signature and the expressions are read from its unparsed
  // arguments.
  command->formatter(std::make_shared<LeftOver>(std::vector<Positional>{
      {"p,q,r", "Signature: how many basis vectors square to 1, -1 and 0", true},
      {"EXPRESSION", "What to compute; expressions share their variables. Default: a prompt", false, true}}));
  command->footer(fmt::format("{}{}", expression_help(), kExamples));
  command->allow_extras();
  command->fallthrough(false);  // otherwise a variable named like a command would start it
  command->callback([&context, command, arguments] {
    context.work = [arguments, words = positionals(*command)] {
      if (arguments->page.empty())
        run(*arguments, words);
      else
        write_page(arguments->page);
    };
  });
}

}  // namespace gcan::cli
