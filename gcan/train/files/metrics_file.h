#pragma once

// metrics.jsonl of a run folder: one JSON object a line, each with "kind" ("train" or "valid") and "step". A
// line of training has "loss", one of validation "error"; numbers that are not finite are null. Times are in
// keys that end in "seconds", so that a comparison of two runs can skip them. Only this file writes or reads
// the format.

#include <cstdint>
#include <fstream>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace gcan::train {

// The metrics of the run in this folder.
std::string metrics_path(const std::string& run);

// Writes the metrics of a run.
//
//   MetricsLog log(metrics_path("runs/gca-mlp"), checkpoint.step);
//   log.add({{"kind", "train"}, {"step", 256}, {"loss", 0.5}});
class MetricsLog {
 public:
  // Appends to the file, but first drops lines after `last_step`: a resumed run repeats those steps.
  MetricsLog(std::string path, std::int64_t last_step);

  // Error if the line cannot be written.
  void add(const nlohmann::ordered_json& line);

  // Flushes everything to the disk.
  void flush();

 private:
  std::string path_;
  std::ofstream file_;
};

// The complete lines of the text up to and including a step.
std::string lines_until(const std::string& text, std::int64_t last_step);

// All lines of a run. An unfinished last line is skipped; any other line of another form is an Error, as is a
// folder without the file.
std::vector<nlohmann::ordered_json> read_metrics(const std::string& run);

// The newest lines of a run, which may be training now; step 0 where there is none yet.
struct LatestMetrics {
  std::int64_t step = 0;
  std::optional<double> loss, valid;
  std::optional<double> steps_per_second;  // over the last few lines
};
LatestMetrics latest_metrics(const std::string& run);

// Losses and validation errors by step; NaN where they were not finite. Lines of another form are skipped;
// Error for a folder without the file.
struct LearningCurve {
  std::vector<double> train_steps, train_errors;
  std::vector<double> valid_steps, valid_errors;
};
LearningCurve learning_curve(const std::string& run);

}  // namespace gcan::train
