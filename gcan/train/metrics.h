#pragma once

// The results of evaluations and runs: plain numbers, without LibTorch.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gcan::train {

// What an evaluation says. `error` chooses the best checkpoint: lower is better.
struct Metrics {
  double error = 0;
  std::vector<double> by_step = {};                       // the share of each predicted step in `error`
  std::vector<std::pair<std::string, double>> more = {};  // further numbers by name: per field, rollouts
  // Rows of numbers by name: the error of a rollout by its steps, a spectrum.
  std::vector<std::pair<std::string, std::vector<double>>> curves = {};

  // Null where the name is not there.
  [[nodiscard]] const double* find_number(const std::string& name) const;
  [[nodiscard]] const std::vector<double>* find_curve(const std::string& name) const;
  // The same, an Error for a name that is not there.
  [[nodiscard]] double number(const std::string& name) const;
  [[nodiscard]] const std::vector<double>& curve(const std::string& name) const;
};

// What result.json holds.
struct Evaluated {
  std::int64_t step = 0;
  Metrics metrics;
};
struct Result {
  std::int64_t steps = 0;
  double seconds = 0;           // of training, validation and checkpoints, over all starts of the program
  double steps_per_second = 0;  // of training alone
  std::int64_t parameters = 0;
  bool tested = true;  // false: the data has no test split, and what follows of it is not a number
  Evaluated test_last, test_best, valid_last, valid_best;
  std::vector<std::pair<std::string, Metrics>> trivial;  // on the test split; on valid where there is none

  // Of the split that the run is judged by: test, or valid where there is none.
  [[nodiscard]] const Evaluated& judged_best() const { return tested ? test_best : valid_best; }
};

}  // namespace gcan::train
