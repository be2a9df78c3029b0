#include "gcan/cli/frame/command.h"
#include "gcan/cli/options/export_model.h"

namespace gcan::cli {

// In the order of the help: from the algebra to a result.
void add_commands(CLI::App& program, Context& context) {
  add_algebra(program, context);
  add_simulate(program, context);
  add_merge(program, context);
  add_validate(program, context);
  add_plot(program, context);
  add_export(program, context);
  add_import(program, context);
  add_list(program, context);
  add_train(program, context);
  add_evaluate(program, context);
  add_predict(program, context);
  add_rollout(program, context);
  add_report(program, context);
  add_export_model(program, context);
  add_tensorboard(program, context);
  add_watch(program, context);
  add_reproduce(program, context);
  add_doctor(program, context);
  add_env(program, context);
}

}  // namespace gcan::cli
