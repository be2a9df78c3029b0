// gcan rollout: the motion that a trained network predicts, as a picture.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "gcan/cli/command.h"
#include "gcan/cli/runtime.h"
#include "gcan/cli/usage.h"
#include "gcan/experiments/tetris_prediction.h"

namespace gcan::cli {
namespace {

struct Arguments {
  std::string run, out, split = "test", checkpoint = "best";
  std::int64_t index = 0;
};

experiments::PredictionOptions options_of(const Arguments& a) {
  try {
    return {train::checkpoint_named(a.checkpoint), train::split_named(a.split), a.index};
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
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
  const report::TetrisMotion motion = experiments::predicted_motion(a.run, options);
  if (kind == ".gif") {
    report::animate_tetris(motion, a.out);
  } else {
    report::draw_tetris(motion, a.out);
  }
  fmt::print("wrote {}: {}, trajectory {} of the split '{}'\n", a.out, motion.model, a.index, a.split);
}

}  // namespace

void add_rollout(CLI::App& program, Context& context) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("rollout", "Draw the motion that a trained network predicts");
  command->add_option("RUN", arguments->run, "Run folder");
  command
      ->add_option("--out", arguments->out, "Picture to write: .gif moves, .png, .svg and .pdf stand still")
      ->type_name("FILE");
  command->add_option("--split", arguments->split, "train, valid or test; default: test")->type_name("NAME");
  command->add_option("--index", arguments->index, "Which trajectory, counted from 0; default: 0")
      ->type_name("N");
  command->add_option("--checkpoint", arguments->checkpoint, "last or best; default: best")
      ->type_name("NAME");
  command->footer(
      "Examples:\n"
      "  gcan rollout runs/gca-mlp --out motion.gif\n"
      "  gcan rollout runs/gca-mlp --split test --index 3 --out motion.png");
  command->callback(
      [&context, arguments] { context.work = [&context, arguments] { run(*arguments, context); }; });
}

}  // namespace gcan::cli
