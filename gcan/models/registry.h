#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gcan/config/options.h"
#include "gcan/models/network.h"

namespace gcan::models {

enum class Kind { tetris, fluid };

// A network of the registry: what `model.name` of a configuration names, and its keys beside it.
struct Model {
  std::string name;   // "gca-mlp"
  std::string title;  // as in the paper's tables: "GCA-MLP"
  Kind kind;
  std::string summary;  // one line for `gcan list`
  std::vector<config::Option> options;
  std::function<NetworkPtr(const config::Options&)> make;  // options of section "model"
};

// All networks, in the order of the paper. A new one is a file with its class and a line in tetris_models()
// or fluid_models().
const std::vector<Model>& registry();

// Error for an unknown name, which says the nearest known one.
const Model& find(const std::string& name);

// The number of trainable numbers.
std::int64_t parameter_count(const torch::nn::Module& module);

std::vector<Model> tetris_models();
std::vector<Model> fluid_models();

}  // namespace gcan::models
