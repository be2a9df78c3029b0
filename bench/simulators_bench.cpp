// Family `simulators`: seconds per trajectory of the simulators.
#include "bench/smoke_timing.h"

int main() { gcan::bench::report_smoke(); }
