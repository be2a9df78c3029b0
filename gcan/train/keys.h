#pragma once

// The option tables of [data] and [train], without torch, for programs that only list them.

#include <string>
#include <vector>

#include "gcan/config/options.h"
#include "gcan/models/catalog.h"

namespace gcan::train {

// The keys of [train].
const std::vector<config::Option>& train_options();

// A value of `data.kind` and its keys. An option "file" is a path, which configurations may give relative to
// the working folder.
struct DataEntry {
  std::string name;  // "tetris"
  std::string summary;
  models::Kind networks;  // the networks that fit
  std::vector<config::Option> options;
};

const std::vector<DataEntry>& data_entries();

// Error with a suggestion for an unknown kind.
const DataEntry& data_entry(const std::string& name);

}  // namespace gcan::train
