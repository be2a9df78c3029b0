#include "bench/action_timing.h"

#include "bench/layer_work.h"
#include "gcan/nn/conv.h"
#include "gcan/nn/linear.h"

namespace gcan::bench {
namespace {

// Objects whose sandwich is not unrolled at compile time, compared with a plain layer with the same number of
// features.
void report_other_objects(Report& report, const std::string& name, const Algebra& algebra,
                          const std::vector<Blade>& objects) {
  nn::GcaLinear ours(nn::GcaLinearOptions(algebra, 128, 128).objects(objects));
  const auto features = 128 * static_cast<std::int64_t>(objects.size());
  torch::nn::Linear plain(features, features);
  const torch::Tensor x = torch::randn({64, 128, static_cast<std::int64_t>(objects.size())});
  report.ratio("gca_linear_" + name + "_b64",
               interleaved(forward_backward(ours, x), forward_backward(plain, x.flatten(1)), 101));
}

}  // namespace

void report_linear(Report& report) {
  const Algebra pga = Algebra::pga3d();
  nn::GcaLinear ours(nn::GcaLinearOptions(pga, 128, 128).objects(pga.points()));
  torch::nn::Linear plain(384, 384);
  for (const int batch : {64, 1024}) {
    const torch::Tensor x = torch::randn({batch, 128, 3});
    report.ratio("gca_linear_b" + std::to_string(batch),
                 interleaved(forward_backward(ours, x), forward_backward(plain, x.flatten(1)), 601));
  }
  report_other_objects(report, "lines", pga, pga.blades(2));
  report_other_objects(report, "motors", pga, pga.even_blades());
  report_other_objects(report, "g200", Algebra(2), Algebra(2).blades());
  const torch::Tensor x = torch::randn({64, 128, 3}), flat = x.flatten(1);
  report.value("gca_linear_held", held_for_backward(ours, x), "MB");
  report.value("linear_held", held_for_backward(plain, flat), "MB");
  const torch::NoGradGuard no_grad;
  ours->eval();
  plain->eval();
  report.ratio("gca_linear_eval_b64", interleaved([&] { keep(ours(x)); }, [&] { keep(plain(flat)); }, 201));
}

void report_convolution(Report& report) {
  nn::GcaConv2d ours(nn::GcaConv2dOptions(Algebra(3), 64, 64, 3).padding(1));
  torch::nn::Conv2d plain(torch::nn::Conv2dOptions(192, 192, 3).padding(1).bias(false));
  const torch::Tensor x = torch::randn({8, 64, 3, 96, 192}), flat = x.flatten(1, 2);
  report.ratio("gca_conv2d_b8", interleaved(forward_backward(ours, x), forward_backward(plain, flat), 5));
  report.value("gca_conv2d_held", held_for_backward(ours, x), "MB");
  report.value("conv2d_held", held_for_backward(plain, flat), "MB");
}

}  // namespace gcan::bench
