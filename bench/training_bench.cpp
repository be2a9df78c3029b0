// Family `training`: whole training steps, those of the MLPs on one thread, those of graph and fluid networks
// on two. Arguments select parts (mlp, graph, graph-one-thread, fluid); by default all run.
#include "bench/fluid_timing.h"
#include "bench/graph_timing.h"
#include "bench/settings.h"
#include "bench/step_timing.h"
#include "gcan/torch.h"

int main(int count, char** words) {
  at::set_num_threads(2);
  torch::manual_seed(1);
  gcan::bench::print_settings();
  // As in layers_bench.cpp: glibc then keeps freed memory, as in every training run.
  (void)torch::empty({16 << 20}, torch::kUInt8);
  gcan::bench::Report report("training steps, float");
  report.parts({words + 1, words + count},
               {{"mlp", gcan::bench::report_mlp_step},
                {"graph", gcan::bench::report_graph_step},
                {"graph-one-thread", gcan::bench::report_graph_step_on_one_thread},
                {"fluid", gcan::bench::report_fluid_step}});
}
