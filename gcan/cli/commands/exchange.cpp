// gcan export, gcan import: between gcan's files and the layouts of others.

#include "gcan/data/exchange.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "gcan/cli/frame/command.h"
#include "gcan/cli/frame/usage.h"

namespace gcan::cli {
namespace {

struct Arguments {
  std::vector<std::string> files;
  std::string format, out;
  bool compress = false;
};

void require_out(const Arguments& arguments) {
  if (arguments.files.empty()) throw UsageError("which file? give its name");
  if (arguments.out.empty()) throw UsageError("where to? give --out");
  for (const std::string& file : arguments.files)
    if (file == arguments.out) throw UsageError(fmt::format("'{}' is both read and written", file));
}

data::Format format_of(const Arguments& arguments) {
  if (arguments.format.empty()) throw UsageError("which format? give --format pdearena or --format netcdf");
  try {
    return data::parse_format(arguments.format);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

void run_export(const Arguments& arguments) {
  require_out(arguments);
  const data::Format format = format_of(arguments);
  if (arguments.files.size() > 1) throw UsageError("gcan export takes one file");
  const data::WellReader reader(arguments.files.front());
  for (const std::string& name : data::export_file(reader, format, arguments.out))
    fmt::print("wrote {}\n", name);
}

void run_import(const Arguments& arguments) {
  require_out(arguments);
  data::import_files(arguments.files, arguments.out, arguments.compress);
  const data::WellReader reader(arguments.out);
  const data::Description& d = reader.description();
  fmt::print("wrote {}: {}, {} trajectories (train {}, valid {}, test {}) of {} frames on {} x {} points\n",
             arguments.out, d.dataset, d.trajectories(), d.splits[0], d.splits[1], d.splits[2], d.frames(),
             d.space[0].values.size(), d.space[1].values.size());
}

}  // namespace

void add_export(CLI::App& program, Context& context) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("export", "Write a data file in another layout");
  command->add_option("FILE", arguments->files, "Data file, as 'gcan simulate' writes it");
  command->add_option("--format", arguments->format, "pdearena, or netcdf (NetCDF-4 by the CF conventions)")
      ->type_name("NAME");
  command->add_option("--out", arguments->out, "File to write; pdearena gets one per split")
      ->type_name("FILE");
  command->footer(
      "Examples:\n"
      "  gcan export sw.h5 --format netcdf --out sw.nc\n"
      "  gcan export ns.h5 --format pdearena --out arena.h5");
  command->callback([&context, arguments] { context.work = [arguments] { run_export(*arguments); }; });
}

void add_import(CLI::App& program, Context& context) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("import", "Read pdearena's or NetCDF-4 files into a data file");
  command->add_option("FILES", arguments->files,
                      "Files of one data set; names with valid or test go to that split");
  command->add_option("--out", arguments->out, "Data file to write")->type_name("FILE");
  command->add_flag("--compress", arguments->compress, "Lossless compression (deflate)");
  command->footer(
      "Examples:\n"
      "  gcan import NavierStokes2D_train_1.h5 NavierStokes2D_valid_1.h5 --out ns.h5\n"
      "  gcan import run*/output.nc --out sw.h5");
  command->callback([&context, arguments] { context.work = [arguments] { run_import(*arguments); }; });
}

}  // namespace gcan::cli
