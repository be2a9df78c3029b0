#pragma once

#include <cstdint>
#include <fstream>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gcan/train/files/result_json.h"

namespace gcan::train {

// metrics.jsonl of a run: one JSON object a line, each with "kind" and "step". Times are in keys that end in
// "seconds", so that a comparison of two runs can leave them out.
//
//   MetricsLog log("runs/gca-mlp/metrics.jsonl", checkpoint.step);
//   log.add({{"kind", "train"}, {"step", 256}, {"loss", 0.5}});
class MetricsLog {
 public:
  // Goes on with a file, of which only lines up to and with `last_step` are kept: those behind it belong to
  // steps that are done again.
  MetricsLog(std::string path, std::int64_t last_step);

  // Error when the line cannot be written.
  void add(const nlohmann::ordered_json& line);

  // Flushes everything to the disk.
  void flush();

 private:
  std::string path_;
  std::ofstream file_;
};

}  // namespace gcan::train
