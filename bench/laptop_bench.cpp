// Family `laptop`: whole training steps (data, forward, backward, Adam) of networks for machines without a
// GPU, on one thread, on a grid of 32 x 64. The alternative is the plain network with LibTorch's own layers;
// rows *_own compare our plain network with it, which separates the effects of algorithm and geometry.
// `bench_laptop MODEL CHANNELS BATCH STEPS [SETTING...]` times one network, for a profiler.
#include <cblas.h>

#include "bench/report.h"
#include "bench/settings.h"
#include "bench/training_steps.h"
#include "gcan/kernels/simd_level.h"
#include "gcan/nn/capability.h"
#include "gcan/nn/detail/cpu_convolution.h"
#include "gcan/sim/shallow_water/options.h"

namespace gcan::bench {
namespace {

constexpr std::int64_t kHeight = 32, kWidth = 64;
constexpr int kRounds = 15;

// A network in training, with our layers or LibTorch's.
class Candidate {
 public:
  Candidate(const std::string& model, int channels, int batch, const DataFile& file, bool by_libtorch,
            const std::vector<std::string>& more = {})
      : steps_(settings(model, channels, batch, file, more), Clock::thread), by_libtorch_(by_libtorch) {
    step();
  }

  void step() {
    std::optional<nn::detail::ConvolutionWayGuard> guard;
    if (by_libtorch_) guard.emplace(nn::detail::ConvolutionWay::libtorch);
    times.push_back(seconds([&] { steps_.step(); }, 1, Clock::thread));
  }

  std::vector<double> times;  // the first step allocates memory and creates plans

 private:
  static std::vector<std::string> settings(const std::string& model, int channels, int batch,
                                           const DataFile& file, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"model.name=" + model,      fmt::format("model.channels={}", channels),
                                      "model.padding_x=circular", "data.kind=fluid",
                                      "data.file=" + file.path(), fmt::format("train.batch={}", batch)};
    if (model.starts_with("gca-")) words.emplace_back("model.variant=paper");
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  Steps steps_;
  bool by_libtorch_;
};

Comparison compare(const Candidate& ours, const Candidate& theirs) {
  std::vector<double> ratios;
  for (std::size_t i = 1; i < ours.times.size(); ++i) ratios.push_back(ours.times[i] / theirs.times[i]);
  const auto middle = [](const Candidate& c) { return median({c.times.begin() + 1, c.times.end()}); };
  return {middle(ours), middle(theirs), median(ratios)};
}

// Multiplications of a UNet's convolutions by the plain sum for one sample, forward: see models/unet.cpp.
// `features` is the number of values per point at the first level.
double unet_multiplications(double inputs, double features, double outputs) {
  double points = static_cast<double>(kHeight * kWidth), c = features,
         sum = 9 * points * (inputs + outputs) * c;
  const auto block = [&](double in, double out) {
    sum += points * (9 * in * out + 9 * out * out + (in == out ? 0 : in * out));
  };
  constexpr int kLevels = 4;
  for (int level = 0; level < kLevels; ++level) {
    const double wider = level == 0 ? c : 2 * c;
    block(c, wider);
    block(wider, wider);
    c = wider;
    if (level + 1 < kLevels) {
      points /= 4;
      sum += 9 * points * c * c;
    }
  }
  block(c, c);
  block(c, c);
  for (int level = kLevels - 1; level >= 0; --level) {
    const double narrower = level == 0 ? c : c / 2;
    block(2 * c, c);
    block(2 * c, c);
    block(c + narrower, narrower);
    c = narrower;
    if (level > 0) {
      sum += 16 * points * c * c;
      points *= 4;
    }
  }
  return sum;
}

// Floating-point operations per second of a product of two matrices of 1024 x 1024.
double sgemm_rate() {
  constexpr int kSize = 1024;
  const torch::Tensor a = torch::randn({kSize, kSize}), b = torch::randn({kSize, kSize});
  torch::Tensor c = torch::empty({kSize, kSize});
  const double time = seconds([&] { torch::mm_out(c, a, b); }, 2, Clock::thread);
  return 2.0 * kSize * kSize * kSize / time;
}

DataFile make_data() {
  data::ShallowWaterSet set{sim::shallow_water::paper_preset()};
  sim::shallow_water::set_truncation(set.options, 21);
  return {set, 8};
}

void run_one(const std::string& model, int channels, int batch, int steps,
             const std::vector<std::string>& more) {
  const DataFile file = make_data();
  Candidate candidate(model, channels, batch, file, false, more);
  for (int i = 0; i < steps; ++i) candidate.step();
  fmt::print("{} s per step\n", median({candidate.times.begin() + 1, candidate.times.end()}));
}

void run() {
  const DataFile file = make_data();
  Candidate gca_unet("gca-unet", 8, 4, file, false), gca_resnet("gca-resnet", 16, 2, file, false);
  Candidate cunet("cunet", 9, 4, file, false);
  Candidate unet("unet", 18, 4, file, true), resnet("resnet", 36, 2, file, true);
  Candidate own_unet("unet", 18, 4, file, false), own_resnet("resnet", 36, 2, file, false);
  Candidate gca_unet_by_libtorch("gca-unet", 8, 4, file, true);
  std::vector<double> rates;
  for (int round = 0; round < kRounds; ++round) {
    for (Candidate* c :
         {&gca_unet, &unet, &own_unet, &cunet, &gca_resnet, &resnet, &own_resnet, &gca_unet_by_libtorch}) {
      c->step();
    }
    rates.push_back(sgemm_rate());
  }
  Report report(fmt::format("training steps, {} x {}, one thread, float; LibTorch {} with {}, gcan with {}",
                            kHeight, kWidth, TORCH_VERSION, nn::aten_capability(), kernels::simd_level()));
  report.ratio("laptop_gca_unet_vs_unet18", compare(gca_unet, unet));
  report.ratio("laptop_gca_resnet_vs_resnet36", compare(gca_resnet, resnet));
  report.ratio("laptop_cunet_vs_unet18", compare(cunet, unet));
  report.ratio("laptop_unet18_own", compare(own_unet, unet));
  report.ratio("laptop_resnet36_own", compare(own_resnet, resnet));
  report.ratio("laptop_gca_unet_vs_its_libtorch", compare(gca_unet, gca_unet_by_libtorch));
  // Four frames in and one out, each a channel with three components. Forward, then backward to the kernels
  // and to the input of all but the first convolution.
  constexpr double kFrame = 3, kBatch = 4, kFeatures = 24;
  const double first = 9.0 * kHeight * kWidth * 4 * kFrame * kFeatures;
  const double operations = 2 * kBatch * (3 * unet_multiplications(4 * kFrame, kFeatures, kFrame) - first);
  const double time = compare(gca_unet, unet).ours;
  report.value("laptop_gca_unet_steps", 1 / time, "1/s");
  report.value("laptop_gca_unet_rate", operations / time * 1e-9, "GFLOPS");
  report.value("laptop_sgemm_rate", median(rates) * 1e-9, "GFLOPS");
  report.value("laptop_gca_unet_efficiency", operations / time / median(rates), "ratio");
}

}  // namespace
}  // namespace gcan::bench

int main(int count, char** words) {
  at::set_num_threads(1);
  openblas_set_num_threads(1);
  torch::manual_seed(1);
  gcan::bench::print_settings();
  if (count >= 5) {
    gcan::bench::run_one(words[1], std::stoi(words[2]), std::stoi(words[3]), std::stoi(words[4]),
                         {words + 5, words + count});
  } else {
    gcan::bench::run();
  }
}
