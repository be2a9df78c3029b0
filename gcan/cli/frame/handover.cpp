// In `gcan`, every command that needs torch executes gcan-torch, which parses the same arguments again.

#include "gcan/cli/frame/environment.h"
#include "gcan/cli/options/doctor.h"
#include "gcan/cli/options/evaluate.h"
#include "gcan/cli/options/export_model.h"
#include "gcan/cli/options/predict.h"
#include "gcan/cli/options/report.h"
#include "gcan/cli/options/reproduce.h"
#include "gcan/cli/options/rollout.h"
#include "gcan/cli/options/train.h"
#include "gcan/cli/options/watch.h"

namespace gcan::cli {

void run_doctor(const DoctorArguments&, const Context& context) { become_torch_program(context.argv); }
void run_evaluate(const EvaluateArguments&, const Context& context) { become_torch_program(context.argv); }
void run_export_model(const ExportModelArguments&, const Context& context) {
  become_torch_program(context.argv);
}
void run_predict(const PredictArguments&, const Context& context) { become_torch_program(context.argv); }
void run_report(const ReportArguments&, const Context& context) { become_torch_program(context.argv); }
void run_reproduce(const ReproduceArguments&, const Context& context) { become_torch_program(context.argv); }
void run_rollout(const RolloutArguments&, const Context& context) { become_torch_program(context.argv); }
void run_runtimes(const RuntimesArguments&, const Context& context) { become_torch_program(context.argv); }
void run_tensorboard(const TensorboardArguments&, const Context& context) {
  become_torch_program(context.argv);
}
void run_train(const TrainArguments&, const Context& context) { become_torch_program(context.argv); }
void run_watch(const WatchArguments&, const Context& context) { become_torch_program(context.argv); }

}  // namespace gcan::cli
