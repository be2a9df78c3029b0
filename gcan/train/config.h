#pragma once

#include <string>
#include <vector>

#include "gcan/config/options.h"
#include "gcan/train/keys.h"
#include "gcan/train/tasks/task.h"

namespace gcan::train {

// The configuration of a run: network, data and training, with defaults for keys that are not set.
//
//   Config config = read_config("configs/tetris/gca-mlp.toml", {"train.steps=20000", "train.seed=2"});
//   config.train.integer("steps");      // 20000
//   to_toml(config);                  // every key; read_config reads it back
struct Config {
  std::string model_name;  // model.name
  std::string data_kind;   // data.kind
  config::Options model, data, train;

  [[nodiscard]] const models::Model& network() const { return models::find(model_name); }
  [[nodiscard]] models::NetworkPtr make_network() const { return network().make(model); }
  [[nodiscard]] std::unique_ptr<Task> make_task() const { return find_data_kind(data_kind).make(data); }
};

// Reads a configuration file, then applies the settings "section.key=value" in order. Error, with file and
// line, for invalid TOML, an unknown section, key, network or kind of data (with a suggestion), an invalid
// value, or a network that does not fit the data. A relative data.file becomes absolute.
Config read_config(const std::string& path, const std::vector<std::string>& settings = {});

// The same from settings only, without a file.
Config make_config(const std::vector<std::string>& settings);

std::string to_toml(const Config& config);

// The keys that affect a run's numbers, with their values: "train.steps", "100".
std::vector<std::pair<std::string, std::string>> deciding_keys(const Config& config);

// The first difference in a key that affects a run's numbers, as "train.steps is 100 there and 200 here";
// empty if there is none.
std::string difference(const Config& there, const Config& here);

}  // namespace gcan::train
