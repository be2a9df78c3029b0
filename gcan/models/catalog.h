#pragma once

// Tables of the networks, without torch: names, keys and sizes, for programs that only list them. registry.h
// adds the factories, and a test compares the sizes with the networks.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gcan/config/options.h"

namespace gcan::models {

enum class Kind { tetris, fluid };

// A value of `model.name` and its keys.
struct NetworkEntry {
  std::string name;   // "gca-mlp"
  std::string title;  // as in the paper's tables: "GCA-MLP"
  Kind kind;
  std::string summary;      // one line for `gcan list`
  std::int64_t parameters;  // with all keys at their defaults
  std::vector<config::Option> options;
};

// All networks, in the order of the paper. A new one needs a line in tetris_catalog() or fluid_catalog(), a
// file with its class, and a line in tetris_models() or fluid_models().
const std::vector<NetworkEntry>& catalog();

// Error with a suggestion for an unknown name.
const NetworkEntry& catalog_entry(std::string_view name);

std::vector<NetworkEntry> tetris_catalog();
std::vector<NetworkEntry> fluid_catalog();

}  // namespace gcan::models
