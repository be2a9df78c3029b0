// gcan validate: compares the simulators with exact solutions and published numbers.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "gcan/base/cpu.h"
#include "gcan/cli/frame/command.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/sim/check.h"
#include "gcan/sim/shallow_water/validation.h"
#include "gcan/sim/smoke/validation.h"

namespace gcan::cli {
namespace {

using sim::Check;
using Checks = std::function<std::vector<Check>()>;

std::string number_text(double value) {
  const double size = std::abs(value);
  return size != 0 && (size < 1e-3 || size >= 1e6) ? fmt::format("{:.2e}", value)
                                                   : fmt::format("{:.8g}", value);
}

// Prints each group as soon as it is measured, and returns the number of failures.
int print_table(const std::vector<Checks>& groups, int& count) {
  fmt::print("{:<52}{:>15}{:>15}{:>12}  {}\n", "", "measured", "expected", "+-", "unit");
  int failed = 0;
  for (const Checks& group : groups) {
    for (const Check& check : group()) {
      ++count;
      if (!check.passed()) ++failed;
      fmt::print("{:<52}{:>15}{:>15}{:>12}  {:<8}{}\n", check.name, number_text(check.measured),
                 number_text(check.expected), number_text(check.tolerance), check.unit,
                 check.passed() ? "ok" : "FAILED");
    }
    std::fflush(stdout);
  }
  return failed;
}

void run(const std::vector<Checks>& groups) {
  int count = 0;
  const int failed = print_table(groups, count);
  if (failed > 0) throw Error(fmt::format("{} of {} checks failed", failed, count));
  fmt::print("all {} checks passed\n", count);
}

void print_statistics(int trajectories, int threads) {
  namespace sw = sim::shallow_water;
  fmt::print(
      "\nStatistics of {} trajectories of the preset 'paper' (start "
      "'random2'):\n{:<8}{:>12}{:>12}{:>12}{:>12}{:>14}\n",
      trajectories, "field", "mean", "std", "smallest", "largest", "persistence");
  for (const auto& s : sw::trajectory_statistics(sw::paper_preset(), trajectories, threads))
    fmt::print("{:<8}{:>12.4g}{:>12.4g}{:>12.4g}{:>12.4g}{:>14.4g}  {}\n", s.name, s.mean, s.deviation,
               s.smallest, s.largest, s.persistence, s.unit);
  fmt::print("persistence: root-mean-square change from frame to frame, in units of std\n\n");
}

void run_shallow_water(const Context& context) {
  namespace sw = sim::shallow_water;
  constexpr int kTrajectories = 8;
  std::vector<Checks> groups;
  for (const int truncation : {31, 62, 127, 255})
    groups.emplace_back([truncation] { return sw::check_transforms(truncation); });
  groups.insert(groups.end(),
                {sw::check_steady_flow, sw::check_gravity_waves, sw::check_mountain,
                 sw::check_rossby_haurwitz, sw::check_jet, sw::check_convergence, sw::check_float});
  print_statistics(kTrajectories, context.threads.value_or(base::cores().usable()));
  run(groups);
}

void run_smoke() {
  namespace smoke = sim::smoke;
  run({smoke::check_conservation, smoke::check_symmetry, smoke::check_order, smoke::check_float});
}

}  // namespace

void add_validate(CLI::App& program, Context& context) {
  CLI::App* command =
      program.add_subcommand("validate", "Check a simulator against exact and published numbers");
  command->footer(
      "The exit code is 1 if a check fails.\n\nExamples:\n  gcan validate shallow-water\n  gcan validate "
      "navier-stokes");
  CLI::App* water =
      command->add_subcommand("shallow-water", "Shallow water on the sphere; takes a few seconds");
  water->footer("Example:\n  gcan validate shallow-water");
  water->callback([&context] { context.work = [&context] { run_shallow_water(context); }; });
  CLI::App* smoke = command->add_subcommand("navier-stokes", "Smoke in a box; takes a second");
  smoke->footer("Example:\n  gcan validate navier-stokes");
  smoke->callback([&context] { context.work = run_smoke; });
  command->callback([command] {
    if (command->get_subcommands().empty())
      throw UsageError("missing simulator: 'gcan validate shallow-water' or 'gcan validate navier-stokes'");
  });
}

}  // namespace gcan::cli
