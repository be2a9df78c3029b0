// gcan export, gcan import: conversion between gcan's files and other layouts.

#include "gcan/data/exchange.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gcan/base/human.h"
#include "gcan/cli/frame/command.h"
#include "gcan/cli/frame/progress.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/cli/frame/values.h"
#include "gcan/data/named_import.h"

namespace gcan::cli {
namespace {

struct ExchangeArguments {
  std::vector<std::string> files;
  std::string format, out;
  bool compress = false;
  // For an import by variable names.
  std::vector<std::string> scalars, vectors;
  std::string time, x, y, trajectory, skip, cut, valid, test;
};

bool by_names(const ExchangeArguments& a) {
  return !a.scalars.empty() || !a.vectors.empty() || !a.time.empty() || !a.x.empty() || !a.y.empty() ||
         !a.trajectory.empty() || !a.skip.empty() || !a.cut.empty() || !a.valid.empty() || !a.test.empty();
}

int count_of(const char* name, const std::string& text) {
  constexpr int kMost = 10'000'000;
  return text.empty() ? 0 : whole_number(name, text, 0, kMost);
}

data::NamedImport named_import(const ExchangeArguments& a) {
  if (a.scalars.empty() && a.vectors.empty())
    throw UsageError("missing option --scalar or --vector, as in '--scalar p --vector u,v'");
  if (a.time.empty() || a.x.empty() || a.y.empty())
    throw UsageError("missing options --time, --x and --y, as in '--time t --x lon --y lat'");
  data::NamedImport request;
  request.files = a.files;
  try {
    for (const std::string& text : a.scalars) request.fields.push_back(data::scalar_named(text));
    for (const std::string& text : a.vectors) request.fields.push_back(data::vector_named(text));
    request.skip = count_of("--skip", a.skip);
    request.cut = count_of("--cut", a.cut);
    request.held_out = {count_of("--valid", a.valid), count_of("--test", a.test)};
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  request.time = a.time;
  request.x = a.x;
  request.y = a.y;
  request.trajectory = a.trajectory;
  request.out = a.out;
  request.compress = a.compress;
  return request;
}

void import_by_names(const ExchangeArguments& a) {
  const data::NamedImport request = named_import(a);
  std::optional<Progress> progress;
  data::import_named(request, [&](int total, int done) {
    if (!progress) progress.emplace("trajectories", total, done - 1);
    progress->move_to(done);
  });
}

// `example` is a complete command without "gcan".
void require_out(const ExchangeArguments& arguments, const char* example) {
  if (arguments.files.empty())
    throw UsageError(fmt::format("missing argument FILE, as in 'gcan {}'", example));
  if (arguments.out.empty()) throw UsageError(fmt::format("missing option --out, as in 'gcan {}'", example));
  for (const std::string& file : arguments.files)
    if (file == arguments.out) throw UsageError(fmt::format("'{}' is both read and written", file));
}

data::Format format_of(const ExchangeArguments& arguments) {
  if (arguments.format.empty())
    throw UsageError("missing option --format, as in '--format netcdf' or '--format pdearena'");
  try {
    return data::parse_format(arguments.format);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

void run_export(const ExchangeArguments& arguments) {
  require_out(arguments, "export sw.h5 --format netcdf --out sw.nc");
  const data::Format format = format_of(arguments);
  const data::WellReader reader = arguments.files.size() == 1 ? data::WellReader(arguments.files.front())
                                                              : data::WellReader(arguments.files);
  for (const std::string& name : data::export_file(reader, format, arguments.out))
    fmt::print("wrote {}\n", name);
}

void run_import(const ExchangeArguments& arguments) {
  require_out(arguments, "import sw.nc --out sw.h5");
  if (by_names(arguments)) {
    import_by_names(arguments);
  } else {
    data::import_files(arguments.files, arguments.out, arguments.compress);
  }
  const data::WellReader reader(arguments.out);
  const data::Description& d = reader.description();
  fmt::print("wrote {}: {}, {} (train {}, valid {}, test {}) of {} on {} x {} points\n", arguments.out,
             d.dataset, base::counted(d.trajectories(), "trajectories"), d.splits[0], d.splits[1],
             d.splits[2], base::counted(static_cast<std::int64_t>(d.frames()), "frames"),
             d.space[0].values.size(), d.space[1].values.size());
}

}  // namespace

void add_export(CLI::App& program, Context& context) {
  const auto arguments = std::make_shared<ExchangeArguments>();
  CLI::App* command = program.add_subcommand("export", "Write a data file in another layout");
  command->add_option("FILE", arguments->files,
                      "Data file, as written by 'gcan simulate', or the parts of a set");
  command->add_option("--format", arguments->format, "pdearena, or netcdf (NetCDF-4 with CF conventions)")
      ->type_name("NAME");
  command->add_option("--out", arguments->out, "File to write; one per split for pdearena")
      ->type_name("FILE");
  command->footer(
      "Examples:\n"
      "  gcan export sw.h5 --format netcdf --out sw.nc\n"
      "  gcan export ns.h5 --format pdearena --out arena.h5");
  command->callback([&context, arguments] { context.work = [arguments] { run_export(*arguments); }; });
}

void add_import(CLI::App& program, Context& context) {
  const auto arguments = std::make_shared<ExchangeArguments>();
  CLI::App* command =
      program.add_subcommand("import", "Convert NetCDF-4, HDF5 or pdearena's files to a data file");
  command->add_option("FILES", arguments->files,
                      "Files of one data set; those with valid or test in their name go to that split");
  command->add_option("--out", arguments->out, "Data file to write")->type_name("FILE");
  const auto name = [&](const char* option, std::string& value, const char* help, const char* type) {
    command->add_option(option, value, help)->type_name(type)->group("Variables by name");
  };
  command
      ->add_option("--scalar", arguments->scalars, "A scalar field, such as p or pressure=p; may be repeated")
      ->type_name("VARIABLE")
      ->allow_extra_args(false)
      ->group("Variables by name");
  command
      ->add_option("--vector", arguments->vectors,
                   "A vector field by its components along x and y, such as u,v or wind=u,v; may be repeated")
      ->type_name("VARIABLES")
      ->allow_extra_args(false)
      ->group("Variables by name");
  name("--time", arguments->time, "The times of the frames, evenly spaced", "VARIABLE");
  name("--x", arguments->x, "Coordinate, evenly spaced; longitude if both are in degrees", "VARIABLE");
  name("--y", arguments->y, "Coordinate, evenly spaced; latitude if both are in degrees", "VARIABLE");
  name("--trajectory", arguments->trajectory, "The dimension that counts trajectories, if it is ambiguous",
       "NAME");
  name("--skip", arguments->skip, "Skip N frames at the start of each trajectory", "N");
  name("--cut", arguments->cut, "Cut each trajectory into pieces of N frames", "N");
  name("--valid", arguments->valid,
       "Hold out N trajectories for validation, those before the test trajectories", "N");
  name("--test", arguments->test, "Hold out the last N trajectories for testing", "N");
  command->add_flag("--compress", arguments->compress, "Lossless compression (deflate)");
  command->footer(
      "Examples:\n"
      "  gcan import NavierStokes2D_train_1.h5 NavierStokes2D_valid_1.h5 --out ns.h5\n"
      "  gcan import run*/output.nc --out sw.h5\n"
      "  gcan import era.nc --scalar p=msl --vector u10,v10 --time time --x longitude --y latitude \\\n"
      "      --cut 40 --valid 10 --test 10 --out era.h5");
  command->callback([&context, arguments] { context.work = [arguments] { run_import(*arguments); }; });
}

}  // namespace gcan::cli
