// gcan rollout: what a trained network predicts, as a picture.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "gcan/cli/frame/command.h"
#include "gcan/cli/frame/runtime.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/experiments/fluid_prediction.h"
#include "gcan/experiments/tetris_prediction.h"

namespace gcan::cli {
namespace {

struct Arguments {
  std::string run, out, split = "test", checkpoint = "best";
  std::int64_t index = 0;
  std::optional<std::int64_t> start, steps;
  std::string fields;
};

experiments::PredictionOptions options_of(const Arguments& a) {
  try {
    return {train::checkpoint_named(a.checkpoint), data::split_named(a.split), a.index};
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

void draw_motion(const Arguments& a, const experiments::PredictionOptions& options, bool moving) {
  if (a.start || a.steps || !a.fields.empty())
    throw UsageError(
        fmt::format("--start, --steps and --field are for runs on fluids, and '{}' is none", a.run));
  const report::TetrisMotion motion = experiments::predicted_motion(a.run, options);
  if (moving) {
    report::animate_tetris(motion, a.out);
  } else {
    report::draw_tetris(motion, a.out);
  }
  fmt::print("wrote {}: {}, trajectory {} of the split '{}'\n", a.out, motion.model, a.index, a.split);
}

void draw_fields(const Arguments& a, const experiments::PredictionOptions& options, bool moving) {
  if (a.start.value_or(0) < 0)
    throw UsageError(fmt::format("--start counts from 0, and {} is below", *a.start));
  if (a.steps.value_or(1) < 1) throw UsageError(fmt::format("--steps expects at least 1, not {}", *a.steps));
  experiments::FluidPredictionOptions fluid{options.checkpoint, options.split, options.index};
  fluid.start = a.start.value_or(0);
  fluid.steps = a.steps.value_or(0);
  fluid.fields = a.fields;
  const report::FieldRollout rollout = experiments::predicted_fields({a.run}, fluid);
  if (moving) {
    report::animate_rollout(rollout, a.out);
  } else {
    report::draw_rollout(rollout, a.out);
  }
  fmt::print("wrote {}: {}, trajectory {} of the split '{}', {} steps from frame {} on\n", a.out,
             rollout.networks.front(), a.index, a.split, rollout.times.size(), fluid.start);
}

void run(const Arguments& a, const Context& context) {
  if (a.run.empty()) throw UsageError("which run? as in 'gcan rollout runs/gca-mlp --out motion.gif'");
  if (a.out.empty()) throw UsageError("where to? give --out, as in '--out motion.gif'");
  const std::string kind = std::filesystem::path(a.out).extension().string();
  if (kind != ".gif" && kind != ".png" && kind != ".svg" && kind != ".pdf") {
    throw UsageError(
        fmt::format("--out expects a name that ends in .gif, .png, .svg or .pdf, and '{}' does not", a.out));
  }
  const auto options = options_of(a);
  set_threads(context.threads);
  if (train::run_config(a.run).data_kind == "fluid") {
    draw_fields(a, options, kind == ".gif");
  } else {
    draw_motion(a, options, kind == ".gif");
  }
}

}  // namespace

void add_rollout(CLI::App& program, Context& context) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      program.add_subcommand("rollout", "Draw what a trained network predicts: a motion, or fields");
  command->add_option("RUN", arguments->run, "Run folder");
  command
      ->add_option("--out", arguments->out, "Picture to write: .gif moves, .png, .svg and .pdf stand still")
      ->type_name("FILE");
  command->add_option("--split", arguments->split, "train, valid or test; default: test")->type_name("NAME");
  command->add_option("--index", arguments->index, "Which trajectory, counted from 0; default: 0")
      ->type_name("N");
  command->add_option("--checkpoint", arguments->checkpoint, "last or best; default: best")
      ->type_name("NAME");
  command->add_option("--start", arguments->start, "Fluids: the first frame given; default: 0")
      ->type_name("N");
  command->add_option("--steps", arguments->steps, "Fluids: frames to predict; default: as many as there are")
      ->type_name("N");
  command
      ->add_option("--field", arguments->fields,
                   "Fluids: what to draw, fields or components, as in eta,u; default: all fields")
      ->type_name("NAMES");
  command->footer(
      "Of fluids the picture shows input, target, prediction and difference; every frame is predicted from "
      "the\n"
      "network's own frames before.\n\nExamples:\n"
      "  gcan rollout runs/gca-mlp --out motion.gif\n"
      "  gcan rollout runs/gca-mlp --split test --index 3 --out motion.png\n"
      "  gcan rollout runs/gca-unet --start 4 --steps 20 --field eta --out eta.pdf");
  command->callback(
      [&context, arguments] { context.work = [&context, arguments] { run(*arguments, context); }; });
}

}  // namespace gcan::cli
