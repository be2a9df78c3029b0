// gcan reproduce runtimes: the paper's runtime table on this machine.

#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <vector>

#include "gcan/base/error.h"
#include "gcan/base/statistics.h"
#include "gcan/cli/frame/progress.h"
#include "gcan/cli/frame/runtime.h"
#include "gcan/cli/options/reproduce.h"
#include "gcan/experiments/runtimes.h"

namespace gcan::cli {
namespace {

void read_grid(const std::string& text, experiments::RuntimeOptions& options) {
  int height = 0, width = 0, length = 0;
  const int found = std::sscanf(text.c_str(), "%dx%d%n", &height, &width, &length);
  if (found != 2 || static_cast<std::size_t>(length) != text.size() || height < 8 || width < 8 ||
      height % 8 != 0 || width % 8 != 0) {
    throw Error(
        fmt::format("--grid expects rows x columns in multiples of 8, such as 96x192, not '{}'", text));
  }
  options.height = height;
  options.width = width;
}

std::string times(double ratio) { return ratio > 0 ? fmt::format("{:.2f}x", ratio) : "-"; }

void print_runtimes(const experiments::RuntimeOptions& options,
                    const std::vector<experiments::Runtime>& results) {
  const auto& rows = experiments::runtime_rows();
  fmt::print("Training steps on a grid of {} x {}, batch {}: seconds, medians of {} rounds\n", options.height,
             options.width, options.batch, options.rounds);
  fmt::print("  {:<15}{:>9}{:>10}{:>8}{:>12}{:>9}{:>17}{:>15}{:>8}\n", "network", "forward", "backward",
             "both", "parameters", "peak GB", "to equal params", "to equal width", "paper");
  const auto to = [&](std::size_t i, int reference) {
    return reference < 0 ? std::string("-")
                         : times(ratio(results[i], results[static_cast<std::size_t>(reference)]));
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const experiments::Runtime& r = results[i];
    fmt::print("  {:<15}{:>9.3f}{:>10.3f}{:>8.3f}{:>12}{:>9}{:>17}{:>15}{:>8}\n", rows[i].network.title(),
               base::median(r.forward), base::median(r.backward), base::median(r.both), r.parameters,
               experiments::measures_memory(options) ? fmt::format("{:.2f}", r.peak / 1e9) : "-",
               to(i, rows[i].equal_parameters), to(i, rows[i].equal_channels), times(rows[i].paper_ratio));
  }
  fmt::print(
      "Ratios of forward + backward: to the plain network of equal parameters, to the plain one with as\n"
      "many numbers per point, and the paper's (8 V100, to its plain network). Peak: growth of the "
      "process's\n"
      "memory in a step, gradients included.\n");
}

}  // namespace

void run_runtimes(const RuntimesArguments& arguments, const Context& context) {
  experiments::RuntimeOptions options = arguments.options;
  read_grid(arguments.grid, options);
  set_threads(context.threads);
  std::vector<experiments::NetworkCase> cases;
  for (const auto& row : experiments::runtime_rows()) cases.push_back(row.network);
  std::vector<experiments::Runtime> results;
  {
    Progress progress("steps", experiments::steps_of(cases, options), 0);
    results = experiments::measure_runtimes(cases, options, [&] { progress.step(); });
  }
  print_runtimes(options, results);
}

}  // namespace gcan::cli
