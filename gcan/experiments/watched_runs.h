#pragma once

#include <mutex>
#include <string>
#include <vector>

namespace gcan::experiments {

// Runs that may be at work, as a page shows them. Their files are read anew for every answer, so that runs
// may begin, stop, go on and end meanwhile. Answers are JSON for web/src/watch.ts: a view or a state with the
// blocks and the base64 text of its numbers (gcan/report/page_data.h). Calls from several threads are safe.
//
//   WatchedRuns runs({"runs/gca-mlp", "reproduce/tetris-mlp"});
//   runs.state();     // steps, errors, speed and curves of every run in them
class WatchedRuns {
 public:
  // Run folders, and folders in which there are or will be some. Error for a folder that is not there.
  explicit WatchedRuns(std::vector<std::string> folders);

  // All runs there are now, in the order of their names.
  [[nodiscard]] std::vector<std::string> runs() const;

  [[nodiscard]] std::string state() const;
  // What each of them depends on and runs on.
  [[nodiscard]] std::string sheets() const;
  // What the newest checkpoint of a run predicts; a sentence as "problem" where it cannot be drawn yet.
  [[nodiscard]] std::string picture(const std::string& run);

 private:
  std::vector<std::string> folders_;
  std::mutex predicting_;  // one prediction at a time, beside the training
};

}  // namespace gcan::experiments
