// Family `gates`: MSiLU and GcaNorm beside GELU and GroupNorm.
#include "bench/gate_timing.h"
#include "gcan/torch.h"

int main() {
  torch::set_num_threads(2);
  gcan::bench::Report report("gate and norm on (8, 64, 3, 96, 192), forward + backward, 2 threads");
  gcan::bench::report_gates(report);
}
