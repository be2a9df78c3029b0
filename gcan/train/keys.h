#pragma once

// The keys of [data] and [train] of a configuration as tables, without torch: for programs that only list
// them.

#include <string>
#include <vector>

#include "gcan/config/options.h"
#include "gcan/models/catalog.h"

namespace gcan::train {

// The keys of [train].
const std::vector<config::Option>& train_options();

// What `data.kind` of a configuration names, and its keys beside it. An option "file" is a path, which
// configurations may give relative to the working folder.
struct DataEntry {
  std::string name;  // "tetris"
  std::string summary;
  models::Kind networks;  // those that fit
  std::vector<config::Option> options;
};

const std::vector<DataEntry>& data_entries();

// Error for an unknown kind, which says the nearest known one.
const DataEntry& data_entry(const std::string& name);

}  // namespace gcan::train
