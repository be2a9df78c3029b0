#include "gcan/cli/options/doctor.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace gcan::cli {

void add_doctor(CLI::App& program, Context& context) {
  const auto arguments = std::make_shared<DoctorArguments>();
  CLI::App* command = program.add_subcommand(
      "doctor", "Print the machine's features, gcan's settings and the speed of matrix products");
  command->add_flag("--json", arguments->json, "Print the same as JSON");
  command->footer("Example:\n  gcan doctor --json | jq .gemm");
  command->callback(
      [&context, arguments] { context.work = [&context, arguments] { run_doctor(*arguments, context); }; });
}

}  // namespace gcan::cli
