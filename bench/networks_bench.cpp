// Family `networks`: training steps of whole fluid networks beside plain ones, in the same rounds, on a grid
// of 96 x 192 with batch 1 and two threads. "ours" and "alternative" are forward + backward. The alternative
// is the plain network of LibTorch's own layers; rows *_own compare our plain network with it, so that one
// sees what is algorithm and what is geometry. `bench_networks resnet` or `unet` measures those alone.
#include <map>
#include <string>

#include "bench/report.h"
#include "bench/settings.h"
#include "gcan/experiments/runtimes.h"
#include "gcan/kernels/simd_level.h"
#include "gcan/nn/capability.h"
#include "gcan/torch.h"

namespace {

using gcan::base::median;
using gcan::experiments::NetworkCase;
using gcan::experiments::Runtime;

using Results = std::map<std::string, Runtime>;

Results measured(const std::map<std::string, NetworkCase>& cases) {
  std::vector<NetworkCase> list;
  for (const auto& [name, which] : cases) list.push_back(which);
  const auto found = gcan::experiments::measure_runtimes(list, {});
  Results results;
  for (const auto& [name, which] : cases) results[name] = found[results.size()];
  return results;
}

void row(gcan::bench::Report& report, const std::string& name, const Runtime& ours, const Runtime& theirs) {
  report.ratio(name, {median(ours.both), median(theirs.both), ratio(ours, theirs)});
}

void unets(gcan::bench::Report& report) {
  const Results results = measured({{"gca", {"gca-unet", 32}},
                                    {"unet96", {"unet", 96, {}, true}},
                                    {"unet72", {"unet", 72, {}, true}},
                                    {"unet96_own", {"unet", 96}}});
  const Runtime &gca = results.at("gca"), &unet96 = results.at("unet96");
  row(report, "gca_unet_vs_unet96", gca, unet96);
  row(report, "gca_unet_vs_unet72", gca, results.at("unet72"));
  row(report, "unet96_own", results.at("unet96_own"), unet96);
  report.value("gca_unet_peak", gca.peak / 1e9, "GB");
  report.value("unet96_peak", unet96.peak / 1e9, "GB");
}

void resnets(gcan::bench::Report& report) {
  const Results results = measured({{"gca", {"gca-resnet", 64}},
                                    {"rot", {"cresnet-rot", 64}},
                                    {"resnet192", {"resnet", 192, {}, true}},
                                    {"resnet144", {"resnet", 144, {}, true}},
                                    {"resnet192_own", {"resnet", 192}}});
  const Runtime &gca = results.at("gca"), &rot = results.at("rot"), &resnet192 = results.at("resnet192");
  row(report, "gca_resnet_vs_resnet192", gca, resnet192);
  row(report, "gca_resnet_vs_resnet144", gca, results.at("resnet144"));
  row(report, "cresnet_rot_vs_resnet192", rot, resnet192);
  row(report, "resnet192_own", results.at("resnet192_own"), resnet192);
  report.value("cresnet_rot_step", median(rot.both), "s");
}

}  // namespace

int main(int count, char** words) {
  const std::string which = count > 1 ? words[1] : "";
  at::set_num_threads(2);
  gcan::bench::print_settings();
  gcan::bench::Report report(
      fmt::format("fluid networks, forward + backward, 96 x 192, batch 1, two threads, float; LibTorch {} "
                  "with {}, gcan with {}",
                  TORCH_VERSION, gcan::nn::aten_capability(), gcan::kernels::simd_level()));
  if (which != "resnet") unets(report);
  if (which != "unet") resnets(report);
}
