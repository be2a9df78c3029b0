// gcan export-model: writes a trained network as TorchScript or ONNX. gcan tensorboard: writes metrics for
// TensorBoard.

#include "gcan/cli/options/export_model.h"

#include <fmt/core.h>

#include <array>
#include <cstdio>

#include "gcan/base/error.h"
#include "gcan/cli/frame/runtime.h"
#include "gcan/cli/frame/usage.h"
#include "gcan/deploy/export_model.h"
#include "gcan/deploy/tensorboard.h"

namespace gcan::cli {
namespace {

std::array<std::int64_t, 2> grid_of(const std::string& text) {
  long height = 0, width = 0;
  char more = 0;
  if (std::sscanf(text.c_str(), "%ldx%ld%c", &height, &width, &more) != 2 || height < 1 || width < 1) {
    throw UsageError(fmt::format("--grid expects rows and columns, such as 96x192, not '{}'", text));
  }
  return {height, width};
}

}  // namespace

void run_export_model(const ExportModelArguments& a, const Context& context) {
  if (a.run.empty())
    throw UsageError("missing argument RUN, as in 'gcan export-model runs/gca-mlp --format onnx'");
  deploy::ExportRequest request;
  try {
    request.format = deploy::format_named(a.format);
    request.checkpoint = train::checkpoint_named(a.checkpoint);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  if (a.units != "data" && a.units != "network") {
    throw UsageError(fmt::format("--units expects data or network, not '{}'", a.units));
  }
  request.run = a.run;
  request.out = a.out;
  request.fold = a.fold;
  request.data_units = a.units == "data";
  if (!a.grid.empty()) request.grid = grid_of(a.grid);
  set_threads(context.threads);
  const deploy::ExportReport report = deploy::export_model(request);
  fmt::print("{}\nwrote {} and {}\n", report.text, report.file, report.table);
}

void run_tensorboard(const TensorboardArguments& a, const Context& /*context*/) {
  if (a.runs.empty()) throw UsageError("missing argument RUN, as in 'gcan tensorboard runs/gca-mlp'");
  for (const std::string& run : a.runs) {
    const deploy::TensorboardFile file = deploy::write_tensorboard(run);
    fmt::print("wrote {} with {} scalars\n", file.path, file.scalars);
  }
}

}  // namespace gcan::cli
