#pragma once

// Small networks of the registry, and inputs for them.

#include <string>
#include <utility>
#include <vector>

#include "gcan/models/registry.h"

namespace gcan::test {

struct SmallNetwork {
  models::NetworkPtr network;
  torch::Tensor input;
};

inline SmallNetwork small_network(const std::string& name,
                                  const std::vector<std::pair<std::string, std::string>>& more = {}) {
  const models::Model& model = models::find(name);
  config::Options options("model", model.options);
  const auto set = [&](const char* key, const char* value) {
    if (options.has(key)) options.set_text(key, value);
  };
  const bool fluid = model.kind == models::Kind::fluid;
  set("width", "24");
  set("channels", fluid ? "4" : "6");
  set("layers", "2");
  set("blocks", "2");
  set("points", "5");
  set("padding_x", "circular");
  for (const auto& [key, value] : more) options.set_text(key, value);
  torch::manual_seed(4);
  SmallNetwork made{model.make(options), {}};
  const bool velocities = options.has("velocities") && options.flag("velocities");
  made.input = fluid ? torch::randn({3, 4, 3, 16, 24}) : torch::randn({3, velocities ? 2 : 1, 4, 5, 3});
  made.network->eval();
  return made;
}

}  // namespace gcan::test
