#pragma once

#include "bench/report.h"

namespace gcan::bench {

// Row gca_mlp_step: a whole training step on one thread (batch of 64 from the data in memory, forward, loss,
// backward, Adam) of GCA-MLP compared with the plain MLP with as many parameters; steps per second of both;
// and the share of Adam and of fetching the batch in a step of GCA-MLP.
void report_mlp_step(Report& report);

}  // namespace gcan::bench
