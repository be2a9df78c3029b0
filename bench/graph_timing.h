#pragma once

#include "bench/report.h"

namespace gcan::bench {

// Row gca_gnn_step: a whole training step of GCA-GNN on 16 scenes (forward, loss, backward, Adam), with the
// linear work done per point, compared with the same network doing it per edge; and steps per second of every
// graph network.
void report_graph_step(Report& report);

// The comparisons of networks in CPU time on one thread, which also hold on a busy machine.
void report_graph_step_on_one_thread(Report& report);

}  // namespace gcan::bench
