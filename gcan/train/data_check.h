#pragma once

#include <string>
#include <vector>

#include "gcan/train/config.h"

namespace gcan::train {

// Error unless the data matches the data that the run's network was trained on: names and units of the
// fields, names of the axes, and time between frames. Returns notes about differences that are allowed:
// another grid, or other trajectories in the run's own file.
std::vector<std::string> check_data(const std::string& folder, const DataRecord& data);
// The same for a task's data. Reads the examples only if the run recorded nothing else to compare.
std::vector<std::string> check_data(const std::string& folder, const Task& task);

// Whether the task has exactly the data that the run recorded.
bool same_data(const std::string& folder, const Task& task);

// Error with a hint if the data file of a run does not exist. `remedy` is the option to use, "--data FILE".
void check_data_file(const std::string& folder, const Config& config, const std::string& remedy);

// An entry of the run's record of its data (Task::record) as text; empty if there is none.
std::string recorded(const std::string& folder, const std::string& name);

// A key that is equal for runs whose errors can be compared: the same test examples, fields, predicted steps
// and normalisation.
std::string comparison_key(const std::string& folder);

// "sw.h5: eta, velocity on 32 x 64", for a title.
std::string data_title(const std::string& folder);

}  // namespace gcan::train
