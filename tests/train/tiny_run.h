#pragma once

// A small data set and a small network to train on it in a fraction of a second.

#include <string>
#include <vector>

#include "gcan/data/generate.h"
#include "gcan/train/run.h"
#include "tests/data/scratch.h"
#include "tests/train/same_run.h"

namespace gcan::test {

inline std::string tiny_data(const Scratch& scratch, std::uint64_t seed = 1) {
  data::TetrisSet set;
  set.options.seed = seed;
  const std::string path = scratch / ("tetris-" + std::to_string(seed) + ".h5");
  data::Observer silent;
  silent.begin = [](int, int, int) {};
  silent.trajectory = [](const std::string&) {};
  data::generate(set, {{20, 8, 8}, path, false, 1}, silent);
  return path;
}

inline std::vector<std::string> tiny_settings(const std::string& data_file) {
  return {"model.name=mlp",         "model.width=16",         "data.kind=tetris",
          "data.file=" + data_file, "train.steps=40",         "train.batch=8",
          "train.log_every=7",      "train.validate_every=5", "train.checkpoint_every=9"};
}

inline train::Config tiny_config(const std::string& data_file, const std::vector<std::string>& more = {}) {
  std::vector<std::string> settings = tiny_settings(data_file);
  settings.insert(settings.end(), more.begin(), more.end());
  return train::make_config(settings);
}

}  // namespace gcan::test
