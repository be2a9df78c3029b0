#pragma once

#include <string>
#include <vector>

#include "gcan/train/config.h"

namespace gcan::train {

// Error unless the data is of the sort that the run's network learned: the same fields by name and unit, axes
// by name, and time between frames. Returns sentences about what may differ but should be known: another
// grid, other trajectories in the run's own file.
std::vector<std::string> check_data(const std::string& folder, const DataRecord& data);

// Error with a hint where the data file of a run is no longer there. `remedy` is what the user can say
// instead,
// "--data FILE".
void check_data_file(const std::string& folder, const Config& config, const std::string& remedy);

// What the run noted of its data (Task::record) by name, as a text; empty where it did not.
std::string recorded(const std::string& folder, const std::string& name);

// Two runs whose errors can be compared have the same text here: the same examples to judge by, the same
// fields, the same part of them predicted, the same normalisation.
std::string comparison_key(const std::string& folder);

// "sw.h5: eta, velocity on 32 x 64", for a title.
std::string data_title(const std::string& folder);

}  // namespace gcan::train
