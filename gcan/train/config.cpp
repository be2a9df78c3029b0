#include "gcan/train/config.h"

#include <fmt/format.h>

#include <array>
#include <initializer_list>

#include "gcan/base/error.h"
#include "gcan/base/spelling.h"
#include "gcan/config/toml_file.h"
#include "gcan/data/file_names.h"
#include "gcan/train/loop/schedule.h"

namespace gcan::train {
namespace {

using config::Entry;
using config::Option;

// A key that selects the table of a section's other keys.
struct Choice {
  const char* section;
  const char* key;
};
constexpr Choice kModel{"model", "name"}, kData{"data", "kind"};

bool is(const Entry& entry, const Choice& choice) {
  return entry.section == choice.section && entry.key == choice.key;
}

// The last value given for the choice, validated by `find`.
template <class Find>
std::string chosen(const std::vector<Entry>& entries, const Choice& choice, const Find& find) {
  std::string name;
  for (const Entry& entry : entries) {
    if (!is(entry, choice)) continue;
    const auto* text = std::get_if<std::string>(&entry.value);
    if (text == nullptr) {
      throw Error(sentence_at(entry, fmt::format("{}.{} expects a string, not {}", choice.section, choice.key,
                                                 config::to_string(entry.value))));
    }
    try {
      find(*text);
    } catch (const Error& error) {
      throw Error(sentence_at(entry, error.what()));
    }
    name = *text;
  }
  if (name.empty()) {
    throw Error(fmt::format("the configuration does not set {}.{}; 'gcan list' shows the possible values",
                            choice.section, choice.key));
  }
  return name;
}

config::Options& section_of(const Entry& entry, Config& config) {
  std::vector<std::string> names;
  for (config::Options* options : {&config.model, &config.data, &config.train}) {
    if (options->section() == entry.section) return *options;
    names.push_back(options->section());
  }
  const std::string all = fmt::format("; use {}", fmt::join(names, ", "));
  throw Error(sentence_at(entry, fmt::format("there is no section '{}'{}", entry.section,
                                             base::did_you_mean(entry.section, names, all))));
}

bool written(const std::vector<Entry>& entries, const char* section, const std::string& key) {
  for (const Entry& entry : entries) {
    if (entry.section == section && entry.key == key) return true;
  }
  return false;
}

// A key that network and data share (velocities) is set once for both.
void share_keys(const std::vector<Entry>& entries, Config& config) {
  for (const Option& option : config.data.table()) {
    if (!config.model.has(option.name)) continue;
    const bool in_model = written(entries, "model", option.name);
    const bool in_data = written(entries, "data", option.name);
    if (in_model && !in_data) config.data.set(option.name, config.model.value(option.name));
    if (in_data && !in_model) config.model.set(option.name, config.data.value(option.name));
    if (!in_data && !in_model) config.data.set(option.name, config.model.value(option.name));
    if (config.model.value(option.name) != config.data.value(option.name)) {
      throw Error(fmt::format("model.{} is {} but data.{} is {}; they must be equal", option.name,
                              config::to_string(config.model.value(option.name)), option.name,
                              config::to_string(config.data.value(option.name))));
    }
  }
}

void check(const Config& config) {
  const DataKind& kind = find_data_kind(config.data_kind);
  if (config.network().kind != kind.networks) {
    throw Error(
        fmt::format("the network '{}' does not take data of kind '{}'", config.model_name, kind.name));
  }
  const config::Options& train = config.train;
  if (train.integer("warmup_steps") > train.integer("steps")) {
    throw Error(fmt::format(
        "train.warmup_steps ({}) is more than train.steps ({}); set train.warmup_steps to at most "
        "{}, or set it to 0 and train.warmup to a fraction of the steps such as 0.1",
        train.integer("warmup_steps"), train.integer("steps"), train.integer("steps")));
  }
}

Config resolved(const std::vector<Entry>& entries) {
  const std::string model = chosen(entries, kModel, models::find);
  const std::string kind = chosen(entries, kData, find_data_kind);
  Config config{model, kind, config::Options("model", models::find(model).options),
                config::Options("data", find_data_kind(kind).options),
                config::Options("train", train_options())};
  for (const Entry& entry : entries) {
    if (is(entry, kModel) || is(entry, kData)) continue;
    apply(entry, section_of(entry, config));
  }
  share_keys(entries, config);
  if (config.data.has("file") && !config.data.text("file").empty()) {
    config.data.set("file", data::absolute_names(config.data.text("file")));
  }
  check(config);
  return config;
}

std::vector<Entry> with_settings(std::vector<Entry> entries, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) entries.push_back(config::parse_setting(setting));
  return entries;
}

}  // namespace

Config read_config(const std::string& path, const std::vector<std::string>& settings) {
  return resolved(with_settings(config::read_toml(path), settings));
}

Config make_config(const std::vector<std::string>& settings) { return resolved(with_settings({}, settings)); }

std::string to_toml(const Config& config) {
  return fmt::format("[model]\nname = {}\n{}\n[data]\nkind = {}\n{}\n[train]\n{}",
                     config::to_string(config.model_name), config::to_toml(config.model),
                     config::to_string(config.data_kind), config::to_toml(config.data),
                     config::to_toml(config.train));
}

std::vector<std::pair<std::string, std::string>> deciding_keys(const Config& config) {
  // These do not affect numbers; the data file is identified by its checksum, not its path.
  constexpr std::array kFree{"train.checkpoint_every",
                             "train.checkpoint_seconds",
                             "train.threads",
                             "train.timeout",
                             "train.backend",
                             "train.warmup",
                             "data.file"};
  std::vector<std::pair<std::string, std::string>> keys{{"model.name", config::to_string(config.model_name)},
                                                        {"data.kind", config::to_string(config.data_kind)}};
  for (const config::Options* options : {&config.model, &config.data, &config.train}) {
    for (const Option& option : options->table()) {
      const std::string key = fmt::format("{}.{}", options->section(), option.name);
      if (std::find(kFree.begin(), kFree.end(), key) != kFree.end()) continue;
      // Compares the warm-up in steps, however it was given.
      keys.emplace_back(key, key == "train.warmup_steps" ? std::to_string(Schedule(config.train).warmup)
                                                         : config::to_string(options->value(option.name)));
    }
  }
  return keys;
}

std::string difference(const Config& there, const Config& here) {
  const auto before = deciding_keys(there), now = deciding_keys(here);
  // Other networks and kinds of data have different keys.
  for (std::size_t i = 0; i < std::min(before.size(), now.size()); ++i) {
    if (before[i] == now[i]) continue;
    return fmt::format("{} is {} there and {} here", before[i].first, before[i].second, now[i].second);
  }
  return "";
}

}  // namespace gcan::train
