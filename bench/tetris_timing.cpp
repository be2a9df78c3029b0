#include "bench/tetris_timing.h"

#include <algorithm>
#include <cstdio>
#include <thread>
#include <vector>

#include "bench/report.h"
#include "gcan/sim/tetris/simulate.h"

namespace gcan::bench {

double tetris_seconds(int threads) {
  const sim::tetris::Job job{.options = {}, .trajectories = 100'000, .threads = threads};
  std::vector<float> positions(job.size()), velocities(job.size());
  return least_seconds(5, [&] { sim::tetris::simulate(job, positions, velocities); });
}

void report_tetris() {
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::printf("VALUE tetris_1e5 %.4f s\n", tetris_seconds(threads));
  std::printf("VALUE tetris_1e5_one_thread %.4f s\n", tetris_seconds(1));
}

}  // namespace gcan::bench
