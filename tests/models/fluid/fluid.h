#pragma once

// Fluid networks of the registry for tests.

#include <string>
#include <vector>

#include "gcan/models/fluid/fluid_network.h"
#include "gcan/models/registry.h"

namespace gcan::test {

inline const std::vector<std::string>& fluid_names() {
  static const std::vector<std::string> names = {"resnet", "cresnet", "cresnet-rot", "gca-resnet",
                                                 "unet",   "cunet",   "cunet-rot",   "gca-unet"};
  return names;
}

// "channels=2 padding_x=circular"
inline std::shared_ptr<models::FluidNetwork> fluid_network(const std::string& name,
                                                           const std::vector<std::string>& settings = {}) {
  const models::Model& model = models::find(name);
  config::Options options("model", model.options);
  for (const std::string& setting : settings) {
    const auto equals = setting.find('=');
    options.set_text(setting.substr(0, equals), setting.substr(equals + 1));
  }
  torch::manual_seed(1);
  return std::dynamic_pointer_cast<models::FluidNetwork>(model.make(options));
}

// The same in double precision.
inline std::shared_ptr<models::FluidNetwork> small_network(const std::string& name,
                                                           const std::vector<std::string>& settings = {}) {
  auto network = fluid_network(name, settings);
  network->to(torch::kDouble);
  return network;
}

}  // namespace gcan::test
