// Family `networks`: training steps of whole fluid networks beside plain ones, in the same rounds, on a grid
// of 96 x 192 with batch 1 and two threads. "ours" and "alternative" are forward + backward.
#include "bench/report.h"
#include "gcan/experiments/runtimes.h"
#include "gcan/torch.h"

int main() {
  using gcan::base::median;
  at::set_num_threads(2);
  enum { gca_unet, unet96, unet72, gca_resnet, resnet192, resnet144, cresnet_rot };
  const std::vector<gcan::experiments::NetworkCase> cases = {
      {"gca-unet", 32}, {"unet", 96},    {"unet", 72},       {"gca-resnet", 64},
      {"resnet", 192},  {"resnet", 144}, {"cresnet-rot", 64}};
  const auto results = gcan::experiments::measure_runtimes(cases, {});
  gcan::bench::Report report("fluid networks, forward + backward, 96 x 192, batch 1, two threads, float");
  const auto row = [&](const char* name, int ours, int theirs) {
    const auto &a = results[static_cast<std::size_t>(ours)], &b = results[static_cast<std::size_t>(theirs)];
    report.ratio(name, {median(a.both), median(b.both), ratio(a, b)});
  };
  row("gca_unet_vs_unet96", gca_unet, unet96);
  row("gca_unet_vs_unet72", gca_unet, unet72);
  row("gca_resnet_vs_resnet192", gca_resnet, resnet192);
  row("gca_resnet_vs_resnet144", gca_resnet, resnet144);
  row("cresnet_rot_vs_resnet192", cresnet_rot, resnet192);
  report.value("cresnet_rot_step", median(results[cresnet_rot].both), "s");
  report.value("gca_unet_peak", results[gca_unet].peak / 1e9, "GB");
  report.value("unet96_peak", results[unet96].peak / 1e9, "GB");
}
