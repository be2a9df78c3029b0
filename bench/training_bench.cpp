// Family `training`: whole training steps, those of the MLPs on one thread, those of graph and fluid networks
// on two.
#include "bench/fluid_timing.h"
#include "bench/graph_timing.h"
#include "bench/step_timing.h"
#include "gcan/torch.h"

int main() {
  at::set_num_threads(2);
  torch::manual_seed(1);
  // As in layers_bench.cpp: so that freed memory is kept, as in every training program.
  (void)torch::empty({16 << 20}, torch::kUInt8);
  gcan::bench::Report report("training steps, float");
  gcan::bench::report_mlp_step(report);
  gcan::bench::report_graph_step(report);
  gcan::bench::report_fluid_step(report);
}
