// Family `layers`: our layers beside LibTorch's plain ones, in the same run, on two threads.
#include "bench/action_timing.h"
#include "bench/gate_timing.h"
#include "gcan/torch.h"

int main() {
  at::set_num_threads(2);
  torch::manual_seed(1);
  // Once a program has freed a large tensor, as every training program has, glibc keeps freed memory of up to
  // twice that size. Before that it returns it to the system at each step, and the rows would measure that.
  (void)torch::empty({16 << 20}, torch::kUInt8);
  gcan::bench::Report report("layers beside LibTorch's, two threads, float");
  gcan::bench::report_actions(report);
  gcan::bench::report_gates(report);
}
