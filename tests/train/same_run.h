#pragma once

// Compares two run folders.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/data/scratch.h"

namespace gcan::test {

// The lines of metrics.jsonl without times.
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
  EXPECT_TRUE(std::filesystem::exists(a + "/checkpoints/last/weights.safetensors"));
  for (const char* name : {"last/weights", "last/optimizer", "last/ema", "best/weights", "best/ema"}) {
    const std::string file = std::string("/checkpoints/") + name + ".safetensors";
    ASSERT_EQ(std::filesystem::exists(a + file), std::filesystem::exists(b + file)) << file;
    EXPECT_EQ(contents(a + file), contents(b + file)) << file;
  }
}

}  // namespace gcan::test
