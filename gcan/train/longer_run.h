#pragma once

#include <string>

#include "gcan/train/config.h"

namespace gcan::train {

// A run that is to go on beyond, or to end before, the steps that it was begun with.
struct LongerRun {
  Config config;     // of the run from now on
  std::string note;  // what the learning rate does; empty where nothing changed
};

// Changes the steps of the run in the folder to those of the configuration, which may differ from the run's
// in nothing else. The warm-up that was done stays as it was, and a finished run counts as unfinished again.
// Error for fewer steps than are done.
//
//   const LongerRun run = train_longer(read_config("runs/a/config.toml", {"train.steps=40000"}), "runs/a");
//   train(run.config, "runs/a");
LongerRun train_longer(const Config& config, const std::string& folder);

}  // namespace gcan::train
