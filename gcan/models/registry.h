#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gcan/config/options.h"
#include "gcan/models/catalog.h"
#include "gcan/models/network.h"

namespace gcan::models {

// A network of the catalog and its factory.
struct Model : NetworkEntry {
  std::function<NetworkPtr(const config::Options&)> make;  // options of section "model"
};

// All networks of the catalog.
const std::vector<Model>& registry();

// Error with a suggestion for an unknown name.
const Model& find(const std::string& name);

// The number of trainable parameters.
std::int64_t parameter_count(const torch::nn::Module& module);

std::vector<Model> tetris_models();
std::vector<Model> fluid_models();

}  // namespace gcan::models
