#pragma once

#include <mutex>
#include <string>
#include <vector>

namespace gcan::experiments {

// Runs that may be in progress, for a live page. Files are read for every answer, so runs may start, stop,
// resume and end at any time. Answers are JSON for web/src/watch.ts: a view or a state with its data as
// base64 blocks (gcan/report/page_data.h). Thread-safe.
//
//   WatchedRuns runs({"runs/gca-mlp", "reproduce/tetris-mlp"});
//   runs.state();     // steps, errors, speed and curves of every run in them
class WatchedRuns {
 public:
  // Run folders, and folders that contain or will contain some. Error for a folder that does not exist.
  explicit WatchedRuns(std::vector<std::string> folders);

  // All current runs, by name.
  [[nodiscard]] std::vector<std::string> runs() const;

  [[nodiscard]] std::string state() const;
  // Configurations and machines of the runs.
  [[nodiscard]] std::string sheets() const;
  // A prediction of the newest checkpoint of a run; an error as "problem" if it cannot be drawn yet.
  [[nodiscard]] std::string picture(const std::string& run);

 private:
  std::vector<std::string> folders_;
  std::mutex predicting_;  // one prediction at a time, to leave cores for training
};

}  // namespace gcan::experiments
