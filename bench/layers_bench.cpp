// Family `layers`: our layers beside LibTorch's plain ones, in the same run, on two threads.
#include "bench/action_timing.h"
#include "bench/gate_timing.h"
#include "gcan/torch.h"

int main() {
  at::set_num_threads(2);
  torch::manual_seed(1);
  gcan::bench::Report report("layers beside LibTorch's, two threads, float");
  gcan::bench::report_actions(report);
  gcan::bench::report_gates(report);
}
