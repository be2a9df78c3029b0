// gcan list: networks, kinds of data, and their keys.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "gcan/base/spelling.h"
#include "gcan/cli/frame/command.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/train/keys.h"

namespace gcan::cli {
namespace {

std::string kind_name(models::Kind kind) { return kind == models::Kind::tetris ? "Tetris" : "fluids"; }

std::string thousands(std::int64_t number) {
  if (number < 1000) return fmt::format("{}", number);
  return fmt::format("{},{:03}", thousands(number / 1000), number % 1000);
}

std::string allowed(const config::Option& option) {
  if (!option.choices.empty()) return fmt::format("{}", fmt::join(option.choices, ", "));
  const bool low = std::isfinite(option.least), high = std::isfinite(option.most);
  if (low && high) return fmt::format("{:g} to {:g}", option.least, option.most);
  if (low) return fmt::format("from {:g}", option.least);
  return high ? fmt::format("to {:g}", option.most) : "";
}

void print_options(const std::string& section, const std::vector<config::Option>& options) {
  for (const config::Option& option : options) {
    const std::string range = allowed(option);
    fmt::print("  {:<28}{:<14}{}{}\n", fmt::format("{}.{}", section, option.name),
               config::to_string(option.standard), option.help,
               range.empty() ? "" : fmt::format(" ({})", range));
  }
}

void print_all() {
  fmt::print("Networks (model.name)\n");
  for (const models::NetworkEntry& model : models::catalog()) {
    fmt::print("  {:<20}{:<16}{:<8}{:>12} parameters  {}\n", model.name, model.title, kind_name(model.kind),
               thousands(model.parameters), model.summary);
  }
  fmt::print("Data (data.kind)\n");
  for (const train::DataEntry& kind : train::data_entries())
    fmt::print("  {:<20}{}\n", kind.name, kind.summary);
  fmt::print(
      "'gcan list NAME' shows the keys of a network or a kind of data, 'gcan list train' those of "
      "[train].\n");
}

void print_one(const std::string& name) {
  std::vector<std::string> names{"train"};
  if (name == "train") return print_options("train", train::train_options());
  for (const models::NetworkEntry& model : models::catalog()) {
    names.push_back(model.name);
    if (model.name != name) continue;
    fmt::print("{} (for {}): {}\n", model.title, kind_name(model.kind), model.summary);
    return print_options("model", model.options);
  }
  for (const train::DataEntry& kind : train::data_entries()) {
    names.push_back(kind.name);
    if (kind.name != name) continue;
    fmt::print("{}: {}\n", kind.name, kind.summary);
    return print_options("data", kind.options);
  }
  throw UsageError(fmt::format("there is no network or kind of data '{}'{}", name,
                               base::did_you_mean(name, names, "; see 'gcan list'")));
}

}  // namespace

void add_list(CLI::App& program, Context& context) {
  const auto name = std::make_shared<std::string>();
  CLI::App* command = program.add_subcommand("list", "List networks and data, or the keys of one of them");
  command->add_option("NAME", *name, "A network, a kind of data, or train");
  command->footer("Examples:\n  gcan list\n  gcan list gca-mlp");
  command->callback(
      [&context, name] { context.work = [name] { name->empty() ? print_all() : print_one(*name); }; });
}

}  // namespace gcan::cli
