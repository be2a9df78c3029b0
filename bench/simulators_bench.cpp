// Family `simulators`: seconds per trajectory of the simulators, of Tetris per 100 000.
#include "bench/shallow_water_timing.h"
#include "bench/smoke_timing.h"
#include "bench/tetris_timing.h"

int main() {
  gcan::bench::report_tetris();
  gcan::bench::report_shallow_water();
  gcan::bench::report_smoke();
}
