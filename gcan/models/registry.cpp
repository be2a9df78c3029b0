#include "gcan/models/registry.h"

#include "gcan/base/error.h"

namespace gcan::models {

const std::vector<Model>& registry() {
  static const std::vector<Model> models = [] {
    std::vector<Model> all = tetris_models();
    for (Model& model : fluid_models()) all.push_back(std::move(model));
    return all;
  }();
  return models;
}

const Model& find(const std::string& name) {
  for (const Model& model : registry()) {
    if (model.name == name) return model;
  }
  throw Error("the network '" + catalog_entry(name).name + "' is listed, but has no factory");
}

std::int64_t parameter_count(const torch::nn::Module& module) {
  std::int64_t count = 0;
  for (const torch::Tensor& parameter : module.parameters()) count += parameter.numel();
  return count;
}

}  // namespace gcan::models
