#pragma once

#include "bench/report.h"

namespace gcan::bench {

// Rows fluid_step_*: whole training steps of GCA-UNet on shallow water, at the size of the budget laptop
// (32 x 64, 8 channels, batch of 4) and at the paper's (96 x 192, 32 channels) with a batch of 4, and their
// share outside the network: waiting for data that is read from the file at each visit, and Adam.
void report_fluid_step(Report& report);

}  // namespace gcan::bench
