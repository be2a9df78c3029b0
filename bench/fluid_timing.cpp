#include "bench/fluid_timing.h"

#include "bench/training_steps.h"
#include "gcan/sim/shallow_water/options.h"

namespace gcan::bench {
namespace {

struct Size {
  const char* name;
  int truncation, channels, steps;
};

void report_size(Report& report, const Size& size) {
  data::ShallowWaterSet set{sim::shallow_water::paper_preset()};
  sim::shallow_water::set_truncation(set.options, size.truncation);
  const DataFile file(set, 8);
  // No cache for trajectories: each visit reads the file.
  Steps steps({"model.name=gca-unet", fmt::format("model.channels={}", size.channels), "data.kind=fluid",
               "data.file=" + file.path(), "data.memory=0", "train.batch=4"},
              Clock::wall);
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(size.steps));
  for (int i = 0; i < size.steps; ++i) times.push_back(seconds([&] { steps.step(); }));
  const std::string row = fmt::format("fluid_step_{}", size.name);
  report.value(row, median(times), "s");
  const double data = steps.fetching_share(), adam = steps.adam_share();
  report.value(row + "_data_share", 100 * data, "%");
  report.value(row + "_adam_share", 100 * adam, "%");
  report.value(row + "_outside", 100 * (data + adam), "%");
}

}  // namespace

void report_fluid_step(Report& report) {
  report_size(report, {"laptop", 21, 8, 41});
  report_size(report, {"paper", 62, 32, 3});
}

}  // namespace gcan::bench
