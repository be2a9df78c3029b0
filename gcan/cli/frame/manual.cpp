#include "gcan/cli/frame/manual.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "gcan/cli/frame/help.h"
#include "gcan/version.h"

namespace gcan::cli {
namespace {

constexpr const char* kEnd = R"(.SH EXIT STATUS
0 for success, 1 for an error, 2 for invalid arguments, 128 + n after signal n (130 for Ctrl\-C).
.SH ENVIRONMENT
.TP
.B OMP_NUM_THREADS
The number of threads if \fB\-\-threads\fR is not given.
.TP
.B GCAN_CONVOLUTION
Forces a convolution algorithm for all shapes; \fBgcan doctor\fR lists them.
.PP
\fBgcan doctor\fR shows the variables that gcan sets for LibTorch unless the user has set them.
.SH FILES
.TP
.I /usr/share/gcan/configs
Configurations of the paper's networks, found by \fBgcan train tetris/gca\-mlp\fR.
.TP
.I ~/.local/state/gcan/history
The history of the prompt of \fBgcan algebra\fR.
)";

std::string escaped(const std::string& text) {
  std::string result;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
    line_start = c == '\n';
  }
  return result;
}

std::string entry(const std::string& name, const std::string& help) {
  return fmt::format(".TP\n{}\n{}\n", name, escaped(help));
}

std::string entries(const CLI::App& command) {
  std::string text;
  for (const Positional& positional : positionals_of(command)) {
    text += entry(fmt::format("\\fI{}\\fR", escaped(positional.name)), positional.help);
  }
  for (const NamedOption& option : options_of(command)) {
    std::string names = fmt::format("\\fB{}\\fR", escaped(fmt::format("{}", fmt::join(option.names, ", "))));
    if (!option.value.empty()) names += fmt::format(" \\fI{}\\fR", escaped(option.value));
    text += entry(names, option.help);
  }
  return text;
}

std::string footer(const CLI::App& command) {
  const std::string text = command.get_footer();
  return text.empty() ? "" : fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(text));
}

void add_sections(const CLI::App& command, std::string& text) {
  for (const CLI::App* sub : subcommands_of(command)) {
    text += fmt::format(".SS {}\n{}.\n{}{}", escaped(usage_of(*sub)), escaped(sub->get_description()),
                        entries(*sub), footer(*sub));
    add_sections(*sub, text);
  }
}

}  // namespace

std::string manual_page(const CLI::App& program) {
  std::string text =
      fmt::format(".TH GCAN 1 \"\" \"gcan {}\" \"User Commands\"\n.SH NAME\ngcan \\- {}\n", version(),
                  escaped("geometric algebra, and networks whose layers act in it"));
  text += fmt::format(".SH SYNOPSIS\n.B gcan\n[\\fIOPTIONS\\fR] \\fICOMMAND\\fR ...\n.SH DESCRIPTION\n{}\n",
                      escaped(program.get_description()));
  text += ".SH OPTIONS\n" + entries(program) + ".SH COMMANDS\n";
  add_sections(program, text);
  return text + ".SH EXAMPLES\n" + footer(program) + kEnd;
}

}  // namespace gcan::cli
