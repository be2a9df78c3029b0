#pragma once

// Helpers for tests of networks.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "gcan/models/registry.h"

namespace gcan::test {

using Settings = std::vector<std::pair<std::string, config::Value>>;

// A network of the registry with some options set.
inline models::NetworkPtr make_network(const std::string& name, const Settings& settings = {}) {
  const models::Model& model = models::find(name);
  config::Options options("model", model.options);
  for (const auto& [key, value] : settings) options.set(key, value);
  return model.make(options);
}

// A random scene for the network's standard options.
inline torch::Tensor random_scene(const std::string& name, std::int64_t samples,
                                  torch::ScalarType type = torch::kFloat) {
  const config::Options options("model", models::find(name).options);
  const bool velocities = options.has("velocities") && options.flag("velocities");
  return torch::randn({samples, velocities ? 2 : 1, 4, 32, 3}, type);
}

}  // namespace gcan::test
