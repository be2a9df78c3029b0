// Family `layers`: our layers beside LibTorch's plain ones, in the same run, on two threads. Of the program's
// parts (linear, convolution, gate) its arguments choose some; without, all run.
#include "bench/action_timing.h"
#include "bench/gate_timing.h"
#include "bench/settings.h"
#include "gcan/torch.h"

int main(int count, char** words) {
  at::set_num_threads(2);
  torch::manual_seed(1);
  gcan::bench::print_settings();
  // Once a program has freed a large tensor, as every training program has, glibc keeps freed memory of up to
  // twice that size. Before that it returns it to the system at each step, and the rows would measure that.
  (void)torch::empty({16 << 20}, torch::kUInt8);
  gcan::bench::Report report("layers beside LibTorch's, two threads, float");
  report.parts({words + 1, words + count}, {{"linear", gcan::bench::report_linear},
                                            {"convolution", gcan::bench::report_convolution},
                                            {"gate", gcan::bench::report_gates}});
}
