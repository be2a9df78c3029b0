#pragma once

// The networks as tables, without torch: names, keys and sizes for programs that only list them.
// registry.h adds how each is made, and a test compares the sizes with the networks themselves.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gcan/config/options.h"

namespace gcan::models {

enum class Kind { tetris, fluid };

// What `model.name` of a configuration names, and its keys beside it.
struct NetworkEntry {
  std::string name;   // "gca-mlp"
  std::string title;  // as in the paper's tables: "GCA-MLP"
  Kind kind;
  std::string summary;      // one line for `gcan list`
  std::int64_t parameters;  // with all keys at their defaults
  std::vector<config::Option> options;
};

// All networks, in the order of the paper. A new one is a line in tetris_catalog() or fluid_catalog(), a file
// with its class, and a line in tetris_models() or fluid_models().
const std::vector<NetworkEntry>& catalog();

// Error for an unknown name, which says the nearest known one.
const NetworkEntry& catalog_entry(std::string_view name);

std::vector<NetworkEntry> tetris_catalog();
std::vector<NetworkEntry> fluid_catalog();

}  // namespace gcan::models
