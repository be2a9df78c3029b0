#pragma once

#include <string>
#include <vector>

#include "gcan/config/options.h"
#include "gcan/train/keys.h"
#include "gcan/train/tasks/task.h"

namespace gcan::train {

// Everything a run depends on: which network, which data, how it is trained; each key at its default where
// nobody set it.
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

// Reads a configuration file and the settings "section.key=value" that change it, in their order. Error, with
// file and line, for what is not TOML, an unknown section, key, network or kind of data (with the nearest
// known one), a value that does not fit, or a network that does not fit the data. A relative data.file
// becomes absolute.
Config read_config(const std::string& path, const std::vector<std::string>& settings = {});

// The same from settings alone: Config of a program that has no file.
Config make_config(const std::vector<std::string>& settings);

std::string to_toml(const Config& config);

// The keys that change a run's numbers, with their values: "train.steps", "100".
std::vector<std::pair<std::string, std::string>> deciding_keys(const Config& config);

// The first key in which the two differ, of those that change a run's numbers, as
// "train.steps is 100 there and 200 here"; empty when none does.
std::string difference(const Config& there, const Config& here);

}  // namespace gcan::train
