#include "bench/gate_timing.h"

#include <malloc.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <string>

#include "gcan/nn/norm_msilu.h"
#include "gcan/torch.h"

namespace gcan::bench {

namespace {

using Layer = std::function<torch::Tensor(const torch::Tensor&)>;

// The resident memory of the process in bytes. Tensors of this size are mapped and unmapped individually, so
// it follows them exactly.
double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double total = 0;
  double resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// The memory that a forward pass retains besides its input: the output and data saved for the backward pass.
double kept_bytes(const Layer& layer, const torch::Tensor& x) {
  malloc_trim(0);
  const double before = resident_bytes();
  const torch::Tensor y = layer(x);
  malloc_trim(0);
  return resident_bytes() - before;
}

void report_pair(Report& report, const std::string& row, const Layer& ours, const Layer& theirs,
                 const torch::Tensor& x, const torch::Tensor& dy) {
  const auto step = [&](const Layer& layer) {
    return [&x, &dy, &layer] {
      x.mutable_grad() = torch::Tensor();
      layer(x).backward(dy);
    };
  };
  report.ratio(row, interleaved(step(ours), step(theirs), 31));
  x.mutable_grad() = torch::Tensor();
  report.value(row + "_kept", kept_bytes(ours, x) / 1e6, "MB");
  report.value(row + "_kept_by_torch", kept_bytes(theirs, x) / 1e6, "MB");
}

}  // namespace

void report_gates(Report& report) {
  const Algebra g3(3);
  const auto vectors = g3.blades(1);
  const auto norm_options = nn::GcaNormOptions(g3, 64).objects(vectors);
  const auto gate_options = nn::MSiLUOptions(g3, 64).objects(vectors);
  nn::MSiLU gate(gate_options);
  nn::GcaNorm norm(norm_options);
  nn::NormMSiLU both(nn::NormMSiLUOptions(norm_options, gate_options));
  torch::nn::GroupNorm group_norm(torch::nn::GroupNormOptions(1, 192));
  torch::nn::GELU gelu;
  // torch's layers see the same values as 192 channels.
  const auto as_channels = [](const torch::Tensor& t) { return t.view({8, 192, 96, 192}); };

  const torch::Tensor x = torch::randn({8, 64, 3, 96, 192}).requires_grad_();
  const torch::Tensor dy = torch::randn({8, 64, 3, 96, 192});
  const auto plain = [&](const Layer& layer) -> Layer {
    return [&as_channels, layer](const torch::Tensor& t) { return layer(as_channels(t)).view(t.sizes()); };
  };
  report_pair(
      report, "msilu", [&](const torch::Tensor& t) { return gate(t); },
      plain([&](const torch::Tensor& t) { return gelu(t); }), x, dy);
  report_pair(
      report, "gca_norm", [&](const torch::Tensor& t) { return norm(t); },
      plain([&](const torch::Tensor& t) { return group_norm(t); }), x, dy);
  report_pair(
      report, "norm_msilu", [&](const torch::Tensor& t) { return both(t); },
      plain([&](const torch::Tensor& t) { return gelu(group_norm(t)); }), x, dy);
}

}  // namespace gcan::bench
