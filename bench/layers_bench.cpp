// Family `layers`: our layers compared with LibTorch's plain ones, in the same run, on two threads. Arguments
// select parts (linear, convolution, gate); by default all run.
#include "bench/action_timing.h"
#include "bench/gate_timing.h"
#include "bench/settings.h"
#include "gcan/torch.h"

int main(int count, char** words) {
  at::set_num_threads(2);
  torch::manual_seed(1);
  gcan::bench::print_settings();
  // Once a program has freed a large tensor, as every training does, glibc keeps freed blocks up to twice
  // that size. Until then it returns memory to the system at each step, which would distort the rows.
  (void)torch::empty({16 << 20}, torch::kUInt8);
  gcan::bench::Report report("layers beside LibTorch's, two threads, float");
  report.parts({words + 1, words + count}, {{"linear", gcan::bench::report_linear},
                                            {"convolution", gcan::bench::report_convolution},
                                            {"gate", gcan::bench::report_gates}});
}
