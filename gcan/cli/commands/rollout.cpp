// gcan rollout: draws the predictions of a trained network.

#include "gcan/cli/options/rollout.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>

#include "gcan/cli/frame/runtime.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/experiments/fluid_prediction.h"
#include "gcan/experiments/tetris_prediction.h"
#include "gcan/train/device.h"

namespace gcan::cli {
namespace {

experiments::PredictionOptions options_of(const RolloutArguments& a) {
  try {
    return {train::checkpoint_named(a.checkpoint), data::split_named(a.split), a.index, a.data};
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

void draw_motion(const RolloutArguments& a, const experiments::PredictionOptions& options, bool moving) {
  if (a.start || a.steps || !a.fields.empty())
    throw UsageError(
        fmt::format("--start, --steps and --field are for fluid runs, but '{}' is not a fluid run", a.run));
  const report::TetrisMotion motion = experiments::predicted_motion(a.run, options);
  if (moving) {
    report::animate_tetris(motion, a.out);
  } else {
    report::draw_tetris(motion, a.out);
  }
  fmt::print("wrote {}: {}, trajectory {} of the split '{}'\n", a.out, motion.model, a.index, a.split);
}

void draw_fields(const RolloutArguments& a, const experiments::PredictionOptions& options, bool moving) {
  if (a.start.value_or(0) < 0) throw UsageError(fmt::format("--start expects at least 0, not {}", *a.start));
  if (a.steps.value_or(1) < 1) throw UsageError(fmt::format("--steps expects at least 1, not {}", *a.steps));
  experiments::FluidPredictionOptions fluid{options.checkpoint, options.split, options.index};
  fluid.start = a.start.value_or(0);
  fluid.steps = a.steps.value_or(0);
  fluid.fields = a.fields;
  fluid.data_file = a.data;
  fluid.device = options.device;
  const report::FieldRollout rollout = experiments::predicted_fields({a.run}, fluid);
  if (moving) {
    report::animate_rollout(rollout, a.out);
  } else {
    report::draw_rollout(rollout, a.out);
  }
  fmt::print("wrote {}: {}, trajectory {} of the split '{}', {} steps from frame {} on\n", a.out,
             rollout.networks.front(), a.index, a.split, rollout.times.size(), fluid.start);
}

}  // namespace

void run_rollout(const RolloutArguments& a, const Context& context) {
  if (a.run.empty())
    throw UsageError("missing argument RUN, as in 'gcan rollout runs/gca-mlp --out motion.gif'");
  if (a.out.empty()) throw UsageError("missing option --out, as in '--out motion.gif'");
  const std::string kind = std::filesystem::path(a.out).extension().string();
  if (kind != ".gif" && kind != ".png" && kind != ".svg" && kind != ".pdf") {
    throw UsageError(fmt::format("--out must end in .gif, .png, .svg or .pdf, not '{}'", a.out));
  }
  auto options = options_of(a);
  set_threads(context.threads);
  options.device = train::device_named(a.device);
  if (train::run_config(a.run).data_kind == "fluid") {
    draw_fields(a, options, kind == ".gif");
  } else {
    draw_motion(a, options, kind == ".gif");
  }
}

}  // namespace gcan::cli
