// gcan plot: pictures and animations of the fields of a data file.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gcan/cli/frame/command.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/cli/frame/values.h"
#include "gcan/data/file_names.h"
#include "gcan/data/tetris_file.h"
#include "gcan/report/field_plot.h"
#include "gcan/report/tetris_motion.h"

namespace gcan::cli {
namespace {

struct PlotArguments {
  std::vector<std::string> files;
  std::string file, field, trajectory, split, frame, out;
  bool animate = false;
};

constexpr int kMostIndex = 10'000'000;

// A different name for each possible picture, so that one does not overwrite another.
std::string default_name(const PlotArguments& a) {
  std::string name = std::filesystem::path(data::files_named(a.file).front()).stem().string();
  if (!a.field.empty()) name += "-" + a.field;
  if (!a.split.empty()) name += "-" + a.split;
  if (!a.trajectory.empty()) name += "-" + a.trajectory;
  if (!a.frame.empty()) name += "-frame" + a.frame;
  return name + (a.animate ? ".gif" : ".png");
}

data::Split split_of(const PlotArguments& a, const data::TetrisFile& file) {
  if (!a.split.empty()) {
    try {
      return data::split_named(a.split);
    } catch (const Error& error) {
      throw UsageError(error.what());
    }
  }
  for (const data::Split split : {data::Split::test, data::Split::valid})
    if (file.trajectories(split) > 0) return split;
  return data::Split::train;
}

// Draws a motion of a Tetris file.
void plot_motion(const PlotArguments& a) {
  if (!a.field.empty() || !a.frame.empty())
    throw UsageError(
        fmt::format("--field and --frame are for fields, but '{}' contains Tetris motions", a.file));
  const std::string out = a.out.empty() ? default_name(a) : a.out;
  const std::string kind = std::filesystem::path(out).extension().string();
  if (kind != ".gif" && kind != ".png" && kind != ".svg" && kind != ".pdf")
    throw UsageError(fmt::format("--out must end in .gif, .png, .svg or .pdf, not '{}'", out));
  if (a.animate && kind != ".gif")
    throw UsageError(fmt::format("--out must end in .gif for an animation, not '{}'", out));
  const data::TetrisFile file(a.file);
  const data::Split split = split_of(a, file);
  const auto index = static_cast<std::size_t>(
      whole_number("--index", a.trajectory.empty() ? "0" : a.trajectory, 0, kMostIndex));
  if (index >= file.trajectories(split))
    throw Error(fmt::format("'{}' has no trajectory {} in the split '{}', which has {}, counted from 0",
                            a.file, index, to_string(split), file.trajectories(split)));
  const data::TetrisSplit motions = file.read_positions(split, index + 1);
  const auto size = static_cast<std::ptrdiff_t>(motions.positions.size() / (index + 1));
  const report::TetrisMotion motion{{motions.positions.end() - size, motions.positions.end()}};
  if (kind == ".gif") {
    report::animate_tetris(motion, out);
  } else {
    report::draw_tetris(motion, out);
  }
  fmt::print("wrote {}\n", out);
}

void run(PlotArguments arguments) {
  if (arguments.files.empty())
    throw UsageError("missing argument FILE, as in 'gcan plot data.h5 --out data.png'");
  arguments.file = fmt::format("{}", fmt::join(arguments.files, ","));
  if (data::is_tetris_file(arguments.file)) return plot_motion(arguments);
  if (!arguments.split.empty())
    throw UsageError(
        fmt::format("--split is for Tetris motions, but '{}' contains fields, whose trajectories are counted "
                    "over all splits",
                    arguments.file));
  report::PlotOptions options;
  options.field = arguments.field;
  options.trajectory =
      arguments.trajectory.empty() ? 0 : whole_number("--trajectory", arguments.trajectory, 0, kMostIndex);
  if (!arguments.frame.empty())
    options.frame = static_cast<std::size_t>(whole_number("--frame", arguments.frame, 0, kMostIndex));
  options.out = arguments.out;
  if (options.out.empty()) options.out = default_name(arguments);
  const std::string kind = std::filesystem::path(options.out).extension().string();
  options.animate = arguments.animate || kind == ".gif";
  if (kind != ".png" && kind != ".gif")
    throw UsageError(fmt::format("--out must end in .png or .gif, not '{}'", options.out));
  if (options.animate && kind != ".gif")
    throw UsageError(fmt::format("--out must end in .gif for an animation, not '{}'", options.out));
  if (options.animate && options.frame) throw UsageError("--frame cannot be combined with --animate");
  const data::WellReader reader(arguments.file);
  report::plot_field(reader, options);
  fmt::print("wrote {}\n", options.out);
}

}  // namespace

void add_plot(CLI::App& program, Context& context) {
  const auto arguments = std::make_shared<PlotArguments>();
  CLI::App* command = program.add_subcommand("plot", "Draw or animate a field of a data file");
  command->add_option("FILE", arguments->files,
                      "Data file, as written by 'gcan simulate', or the parts of a set");
  command
      ->add_option("--field", arguments->field,
                   "Field: eta, u, v, speed, smoke, ...; default: the file's first")
      ->type_name("NAME");
  command->add_option("--trajectory,--index", arguments->trajectory, "Trajectory, counted from 0; default: 0")
      ->type_name("N");
  command->add_option("--frame", arguments->frame, "Frame, counted from 0; default: the last")
      ->type_name("N");
  command
      ->add_option("--split", arguments->split, "Split of Tetris data: train, valid or test; default: test")
      ->type_name("NAME");
  command->add_flag("--animate", arguments->animate, "All frames, as an animated GIF");
  command
      ->add_option("--out", arguments->out,
                   "Picture to write: .png or .gif, for Tetris also .svg and .pdf; default: named after FILE "
                   "and the other options")
      ->type_name("FILE");
  command->footer(
      "Examples:\n"
      "  gcan plot sw.h5 --field u --frame 40 --out wind.png\n"
      "  gcan plot ns.h5 --trajectory 3 --animate --out smoke.gif\n"
      "  gcan plot tetris.h5 --index 3 --out motion.gif");
  command->callback([&context, arguments] { context.work = [arguments] { run(*arguments); }; });
}

}  // namespace gcan::cli
