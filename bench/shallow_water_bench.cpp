// Seconds per trajectory of the shallow-water simulator.
#include "bench/shallow_water_timing.h"

int main() { gcan::bench::report_shallow_water(); }
