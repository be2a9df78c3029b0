#pragma once

// A small data set and a small network to train on it in a fraction of a second.

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gcan/data/generate.h"
#include "gcan/train/files.h"
#include "gcan/train/run.h"
#include "tests/data/scratch.h"

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

// The lines of metrics.jsonl without what depends on the clock.
inline std::vector<std::string> timeless_metrics(const std::string& folder) {
  std::vector<std::string> lines;
  std::ifstream file(folder + "/metrics.jsonl");
  for (std::string line; std::getline(file, line);) {
    auto json = nlohmann::ordered_json::parse(line);
    json.erase("seconds");
    json.erase("train_seconds");
    lines.push_back(json.dump());
  }
  return lines;
}

// Expects two runs to have ended with the same weights, moments, averages and metrics, bit for bit.
inline void expect_same_run(const std::string& a, const std::string& b) {
  EXPECT_EQ(timeless_metrics(a), timeless_metrics(b));
  EXPECT_FALSE(timeless_metrics(a).empty());
  for (const char* name : {"last/weights", "last/optimizer", "last/ema", "best/weights", "best/ema"}) {
    const std::string file = std::string("/checkpoints/") + name + ".safetensors";
    ASSERT_EQ(std::filesystem::exists(a + file), std::filesystem::exists(b + file)) << file;
    if (!std::filesystem::exists(a + file)) continue;
    EXPECT_EQ(train::read_whole(a + file), train::read_whole(b + file)) << file;
  }
}

}  // namespace gcan::test
