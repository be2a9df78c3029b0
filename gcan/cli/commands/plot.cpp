// gcan plot: pictures and animations of the fields of a data file.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "gcan/cli/frame/command.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/data/setting.h"
#include "gcan/report/field_plot.h"

namespace gcan::cli {
namespace {

struct Arguments {
  std::string file, field, trajectory = "0", frame, out;
  bool animate = false;
};

int parse_index(const char* name, const std::string& text) {
  try {
    const int index = data::parse_number<int>(name, text);
    if (index >= 0) return index;
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  throw UsageError(fmt::format("--{} counts from 0, and '{}' is below", name, text));
}

void run(const Arguments& arguments) {
  if (arguments.file.empty()) throw UsageError("which file? as in 'gcan plot data.h5 --out data.png'");
  report::PlotOptions options;
  options.field = arguments.field;
  options.trajectory = parse_index("trajectory", arguments.trajectory);
  if (!arguments.frame.empty())
    options.frame = static_cast<std::size_t>(parse_index("frame", arguments.frame));
  options.out = arguments.out;
  if (options.out.empty())
    options.out =
        std::filesystem::path(arguments.file).stem().string() + (arguments.animate ? ".gif" : ".png");
  const std::string kind = std::filesystem::path(options.out).extension().string();
  options.animate = arguments.animate || kind == ".gif";
  if (kind != ".png" && kind != ".gif")
    throw UsageError(
        fmt::format("--out expects a name that ends in .png or .gif, and '{}' does not", options.out));
  if (options.animate && kind != ".gif")
    throw UsageError(fmt::format("an animation is a .gif, but --out is '{}'", options.out));
  if (options.animate && options.frame) throw UsageError("an animation shows all frames; leave --frame away");
  const data::WellReader reader(arguments.file);
  report::plot_field(reader, options);
  fmt::print("wrote {}\n", options.out);
}

}  // namespace

void add_plot(CLI::App& program, Context& context) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("plot", "Draw a field of a data file, or animate it");
  command->add_option("FILE", arguments->file, "Data file, as 'gcan simulate' writes it");
  command->add_option("--field", arguments->field, "eta, u, v, speed, smoke, ...; default: the file's first")
      ->type_name("NAME");
  command->add_option("--trajectory", arguments->trajectory, "Which, counted from 0; default: 0")
      ->type_name("N");
  command->add_option("--frame", arguments->frame, "Which, counted from 0; default: the last")
      ->type_name("N");
  command->add_flag("--animate", arguments->animate, "All frames, as an animated GIF");
  command->add_option("--out", arguments->out, "Picture to write, .png or .gif; default: named like FILE")
      ->type_name("FILE");
  command->footer(
      "Examples:\n"
      "  gcan plot sw.h5 --field u --frame 40 --out wind.png\n"
      "  gcan plot ns.h5 --trajectory 3 --animate --out smoke.gif");
  command->callback([&context, arguments] { context.work = [arguments] { run(*arguments); }; });
}

}  // namespace gcan::cli
