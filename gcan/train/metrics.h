#pragma once

// The results of evaluations and runs, without LibTorch.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gcan::train {

// The result of an evaluation. `error` selects the best checkpoint: lower is better.
struct Metrics {
  double error = 0;
  std::vector<double> by_step = {};                       // contribution of each predicted step to `error`
  std::vector<std::pair<std::string, double>> more = {};  // further numbers by name: per field, rollouts
  // Series by name: the error of a rollout by step, a spectrum.
  std::vector<std::pair<std::string, std::vector<double>>> curves = {};

  // Null for an unknown name.
  [[nodiscard]] const double* find_number(const std::string& name) const;
  [[nodiscard]] const std::vector<double>* find_curve(const std::string& name) const;
  // The same, but Error for an unknown name.
  [[nodiscard]] double number(const std::string& name) const;
  [[nodiscard]] const std::vector<double>& curve(const std::string& name) const;
};

// The contents of result.json.
struct Evaluated {
  std::int64_t step = 0;
  Metrics metrics;
};
struct Result {
  std::int64_t steps = 0;
  double seconds = 0;  // of training, validation and checkpoints, summed over all starts of the program
  double steps_per_second = 0;  // of training alone
  std::int64_t parameters = 0;
  bool tested = true;  // false: the data has no test split, and its metrics are NaN
  Evaluated test_last, test_best, valid_last, valid_best;
  std::vector<std::pair<std::string, Metrics>> trivial;  // on the test split, or on valid if there is none

  // Of the test split, or of valid if there is none.
  [[nodiscard]] const Evaluated& judged_best() const { return tested ? test_best : valid_best; }
};

}  // namespace gcan::train
