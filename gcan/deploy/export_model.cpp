#include "gcan/deploy/export_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <sstream>
#include <vector>

#include "gcan/base/error.h"
#include "gcan/deploy/onnx.h"
#include "gcan/deploy/trace.h"
#include "gcan/files/durable.h"
#include "gcan/nn/fold.h"
#include "gcan/train/files/safetensors.h"

namespace gcan::deploy {
namespace {

namespace fs = std::filesystem;
using torch::Tensor;

// The shape of a sample, as input of the network.
std::vector<std::int64_t> sample_shape(const ExportRequest& request, const train::Config& config) {
  if (config.network().kind == models::Kind::tetris) {
    const bool velocities = config.model.has("velocities") && config.model.flag("velocities");
    return {1, velocities ? 2 : 1, config.model.integer("steps_in"), config.model.integer("points"), 3};
  }
  if (request.grid) {
    // The planes of a frame: one for a scalar field, two for a vector field.
    std::int64_t planes = 0;
    for (const char field : config.model.text("fields")) planes += field == 's' ? 1 : field == 'v' ? 2 : 0;
    return {1, config.model.integer("history"), planes, (*request.grid)[0], (*request.grid)[1]};
  }
  try {
    const std::int64_t first = 0;
    const auto task = train::task_of(request.run);
    return task->batch(train::Split::train, std::span(&first, 1), {}).input.sizes().vec();
  } catch (const Error& error) {
    throw Error(fmt::format(
        "the grid of '{}' is not known, because its data cannot be read ({}); give it with --grid, "
        "as in --grid 96x192",
        request.run, error.what()));
  }
}

// The run's means and scales, if it has any.
Units units_of(const ExportRequest& request) {
  const fs::path path = fs::path(request.run) / "data.safetensors";
  Units units;
  if (!request.data_units || !fs::exists(path)) return units;
  for (const auto& [name, tensor] : train::read_safetensors(path.string()).tensors) {
    if (name == "mean") units.mean = tensor;
    if (name == "scale") units.scale = tensor;
  }
  if (!units.mean.defined() || !units.scale.defined()) {
    throw Error(fmt::format("'{}' has no 'mean' and 'scale'", path.string()));
  }
  return units;
}

double milliseconds(const std::function<void()>& work) {
  std::vector<double> times;
  for (int i = 0; i < 6; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    times.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(times.begin() + 1, times.end());  // the first call prepares
  return times[3];
}

std::string table_of(const ExportReport& report, const ExportRequest& request, const train::Loaded& loaded,
                     torch::IntArrayRef input, torch::IntArrayRef output, bool inside) {
  const bool onnx = request.format == Format::onnx;
  return fmt::format(
      "# {}\n\n"
      "{} of the run `{}`, checkpoint {} (step {}), {}; {}. Input `x` ({}) and output ({}), float, any "
      "number of "
      "samples in front of the other dimensions.\n\n"
      "| | value |\n| --- | --- |\n"
      "| format | {} |\n| size | {:.3f} MB |\n| largest difference from the network in gcan, by the size of "
      "its output "
      "| {:.1e} |\n| one sample in gcan | {:.2f} ms |\n| one sample {} | {:.2f} ms |\n",
      fs::path(report.file).filename().string(), loaded.config.network().title, request.run,
      to_string(request.checkpoint), loaded.step,
      request.fold ? "folded to plain kernels" : "with its group actions",
      inside ? "fields are in the units of the data file: means and scales are inside"
             : "inputs and outputs are those of the network, without means and scales",
      fmt::join(input.slice(1), ", "), fmt::join(output.slice(1), ", "),
      onnx ? "ONNX, operator set 13" : "TorchScript, LibTorch's operations alone",
      static_cast<double>(report.bytes) / 1e6, report.difference, report.network_ms,
      onnx ? "as the TorchScript that the ONNX file was made of" : "as TorchScript, without fused kernels",
      report.model_ms);
}

}  // namespace

Format format_named(const std::string& text) {
  if (text == "torchscript") return Format::torchscript;
  if (text == "onnx") return Format::onnx;
  throw Error(fmt::format("there is no format '{}'; use torchscript or onnx", text));
}

ExportReport export_model(const ExportRequest& request) {
  const torch::NoGradGuard no_grad;
  train::Loaded loaded = train::load(request.run, request.checkpoint);
  const Units units = units_of(request);
  Tensor x = torch::randn(sample_shape(request, loaded.config));
  const Tensor normal = x;
  if (units.mean.defined()) x = x * units.scale + units.mean;
  if (request.fold) nn::fold(*loaded.network);
  torch::jit::Module module = trace(*loaded.network, x, units);

  ExportReport report;
  const bool onnx = request.format == Format::onnx;
  report.file = request.out.empty() ? (fs::path(request.run) / (onnx ? "model.onnx" : "model.pt")).string()
                                    : request.out;
  std::string bytes;
  if (onnx) {
    bytes = to_onnx(module, x);
  } else {
    std::ostringstream stream;
    module.save(stream);
    bytes = stream.str();
  }
  report.bytes = bytes.size();
  files::replace_durably(report.file, bytes);

  // Without optimisation: Debian 13's LibTorch 2.6 compiles fused kernels on the second call, for minutes.
  const torch::jit::GraphOptimizerEnabledGuard as_it_is(false);
  Tensor y = loaded.network->forward(normal);
  if (units.mean.defined()) y = y * units.scale + units.mean;
  const Tensor found = module.forward({x}).toTensor();
  report.difference = ((found - y).abs().max() / y.abs().max().clamp_min(1e-30)).item<double>();
  report.network_ms = milliseconds([&] { loaded.network->forward(normal); });
  report.model_ms = milliseconds([&] { module.forward({x}); });
  report.table = report.file + ".md";
  report.text = table_of(report, request, loaded, x.sizes(), y.sizes(), units.mean.defined());
  files::replace_durably(report.table, report.text);
  return report;
}

}  // namespace gcan::deploy
