#include "gcan/cli/commands/algebra_prompt.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>

#include "gcan/algebra/functions.h"
#include "gcan/cli/frame/line_editor.h"

namespace gcan::cli {
namespace {

using expression::Calculator;

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = std::min(line.find_first_not_of(kBlanks), line.size());
  return line.substr(begin, line.find_last_not_of(kBlanks) + 1 - begin);
}

void add_functions(std::vector<std::string>& words, const char* ending) {
  for (const expression::Function& function : expression::functions()) {
    const std::string word = std::string(function.name) + ending;
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
}

// Completions: functions, variables, blades of small algebras, and commands at the start of a line.
std::vector<std::string> completions(const Calculator& calculator, const std::string& before) {
  std::vector<std::string> words;
  const std::string_view line = trimmed(before);
  if (line.starts_with("help ") || before.ends_with("help ")) {
    add_functions(words, "");
    return words;
  }
  if (line.find_first_of(" *(=") == std::string_view::npos) {
    words = {"help", "variables", "quit"};
  }
  add_functions(words, "(");
  for (const auto& [name, value] : calculator.variables()) words.push_back(name);
  words.insert(words.end(), {"pi", "I"});
  constexpr int kSmall = 4;
  const Algebra& algebra = calculator.algebra();
  for (const Blade b : algebra.dimension() <= kSmall ? algebra.blades() : algebra.blades(1)) {
    if (b != 0) words.push_back(algebra.name(b));
  }
  return words;
}

void print_variables(const Calculator& calculator, const Display& display) {
  if (calculator.variables().empty()) fmt::print("no variables yet; R = exp(-pi/4 * e12) assigns one\n");
  for (const auto& [name, value] : calculator.variables()) {
    fmt::print("{} = {}\n", name, value_text(value, display));
  }
}

// Runs the line if it is a command; false if it is an expression.
bool ran_command(std::string_view word, const Calculator& calculator, const Display& display) {
  if (word == "help" || word == "?") {
    fmt::print("{}", expression_help());
  } else if (word.starts_with("help ")) {
    fmt::print("{}", help_about(std::string(trimmed(word.substr(5))), calculator.algebra(), display));
  } else if (word == "variables") {
    print_variables(calculator, display);
  } else {
    return false;
  }
  return true;
}

// Evaluates a line; false after an error, which it prints.
bool ran_line(const std::string& line, const std::string& place, Calculator& calculator,
              const Display& display) {
  try {
    if (const auto answer = calculator.run(line)) print_answer(*answer, display);
    return true;
  } catch (const expression::ExpressionError& error) {
    show_mistake(line, error);
    std::cerr << place << error.what() << '\n';
    return false;
  }
}

void run_prompt(Calculator& calculator, const Display& display) {
  fmt::print("{}Type help or quit.\n", metric_text(calculator.algebra()));
  std::fflush(stdout);
  LineEditor editor(calculator.algebra().to_string() + "> ", default_history_file(),
                    [&](const std::string& before) { return completions(calculator, before); });
  while (const auto line = editor.next()) {
    const std::string_view word = trimmed(*line);
    if (word == "quit" || word == "exit") return;
    if (!ran_command(word, calculator, display)) ran_line(*line, "", calculator, display);
    std::fflush(stdout);
  }
  fmt::print("\n");
}

void run_pipe(Calculator& calculator, const Display& display) {
  int mistakes = 0;
  std::string line;
  for (int number = 1; std::getline(std::cin, line); ++number) {
    const std::string_view word = trimmed(line);
    if (word == "quit" || word == "exit") break;
    if (ran_command(word, calculator, display)) continue;
    if (!ran_line(line, fmt::format("line {}: ", number), calculator, display)) ++mistakes;
  }
  if (mistakes > 0) {
    throw Error(fmt::format("{} line{} could not be computed", mistakes, mistakes == 1 ? "" : "s"));
  }
}

}  // namespace

void run_lines(Calculator& calculator, const Display& display) {
  if (isatty(STDIN_FILENO) != 0) {
    run_prompt(calculator, display);
  } else {
    run_pipe(calculator, display);
  }
}

}  // namespace gcan::cli
