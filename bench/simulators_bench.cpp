// Family `simulators`: seconds per trajectory of the simulators.
#include "bench/shallow_water_timing.h"
#include "bench/smoke_timing.h"

int main() {
  gcan::bench::report_shallow_water();
  gcan::bench::report_smoke();
}
