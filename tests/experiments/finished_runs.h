#pragma once

// Fake finished runs, for tests of results.

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "gcan/experiments/runner.h"
#include "gcan/train/files/record.h"

namespace gcan::test {

inline train::Result result_with(double last, double best) {
  train::Result result;
  result.steps = 16;
  result.seconds = 2;
  result.steps_per_second = 8;
  result.parameters = 1234;
  result.test_last = {16, {.error = last, .by_step = {last / 2, last / 2}}};
  result.test_best = {12, {.error = best, .by_step = {best / 2, best / 2}}};
  result.valid_last = result.test_last;
  result.valid_best = result.test_best;
  result.trivial = {{"constant velocity", {.error = 7, .by_step = {3, 4}}}};
  return result;
}

// Writes the cell's run as if trained. `more` are further metrics of its best checkpoint.
inline void finish(const std::string& folder, const experiments::Cell& cell, double last, double best,
                   const std::vector<std::pair<std::string, double>>& more = {}) {
  const std::filesystem::path run = experiments::run_folder(folder, cell);
  std::filesystem::create_directories(run);
  train::Result result = result_with(last, best);
  result.test_best.metrics.more = more;
  std::ofstream(run / "result.json") << train::to_json(result).dump();
}

}  // namespace gcan::test
