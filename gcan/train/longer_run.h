#pragma once

#include <string>

#include "gcan/train/config.h"

namespace gcan::train {

// A run with a changed number of steps.
struct LongerRun {
  Config config;     // the run's new configuration
  std::string note;  // effect on the learning rate; empty if nothing changed
};

// Changes the steps of the run in the folder to those of the configuration, which must otherwise equal the
// run's. The warm-up keeps its number of steps, and a finished run becomes unfinished. Error for fewer steps
// than are done.
//
//   const LongerRun run = train_longer(read_config("runs/a/config.toml", {"train.steps=40000"}), "runs/a");
//   train(run.config, "runs/a");
LongerRun train_longer(const Config& config, const std::string& folder);

}  // namespace gcan::train
