#include "bench/step_timing.h"

#include <cblas.h>

#include "bench/training_steps.h"

namespace gcan::bench {
namespace {

std::vector<std::string> settings(const char* network, const DataFile& file) {
  return {std::string("model.name=") + network, "data.kind=tetris", "data.file=" + file.path()};
}

}  // namespace

void report_mlp_step(Report& report) {
  const int threads = at::get_num_threads(), blas_threads = openblas_get_num_threads();
  at::set_num_threads(1);
  openblas_set_num_threads(1);
  const DataFile file(data::TetrisSet{}, 1024);
  Steps gca(settings("gca-mlp", file), Clock::thread), plain(settings("mlp", file), Clock::thread);
  const Comparison steps = interleaved([&] { gca.step(); }, [&] { plain.step(); }, 101, Clock::thread);
  report.ratio("gca_mlp_step", steps);
  report.value("gca_mlp_steps", 1 / steps.ours, "1/s");
  report.value("mlp_steps", 1 / steps.theirs, "1/s");
  const double data = gca.fetching_share(), adam = gca.adam_share();
  report.value("gca_mlp_adam_share", 100 * adam, "%");
  report.value("gca_mlp_data_share", 100 * data, "%");
  report.value("gca_mlp_adam_and_data", 100 * (adam + data), "%");
  at::set_num_threads(threads);
  openblas_set_num_threads(blas_threads);
}

}  // namespace gcan::bench
