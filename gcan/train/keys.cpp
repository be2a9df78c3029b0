#include "gcan/train/keys.h"

#include "gcan/base/error.h"
#include "gcan/base/spelling.h"

namespace gcan::train {
namespace {

using config::Option;
using Whole = std::int64_t;

std::vector<Option> tetris_keys() {
  return {{"file", std::string(), "data file of 'gcan simulate tetris'"},
          {"train", Whole{0}, "training trajectories; 0: all of the file", {}, 0, 1e9},
          {"valid", Whole{0}, "validation trajectories; 0: all of the file", {}, 0, 1e9},
          {"test", Whole{0}, "test trajectories; 0: all of the file", {}, 0, 1e9},
          {"steps_in", Whole{4}, "steps given", {}, 1, 1000},
          {"steps_out", Whole{4}, "steps to predict", {}, 1, 1000},
          {"velocities", false, "velocities beside the positions, in and out"}};
}

std::vector<Option> fluid_keys() {
  return {
      {"file", std::string(), "data file of 'gcan simulate', or another of The Well's layout"},
      {"train", Whole{0}, "training trajectories; 0: all of the file", {}, 0, 1e9},
      {"valid", Whole{0}, "validation trajectories; 0: all of the file", {}, 0, 1e9},
      {"test", Whole{0}, "test trajectories; 0: all of the file", {}, 0, 1e9},
      {"history", Whole{4}, "frames given", {}, 1, 1024},
      {"future", Whole{1}, "frames to predict", {}, 1, 1024},
      {"fields", std::string("s,v"), "kinds of the fields in their order: s a scalar, v a vector"},
      {"names", std::string(), "the fields of the file to use, as \"eta,velocity\"; empty: all"},
      {"normalise",
       std::string("fields"),
       "fields: by means and deviations; public: scalars point by point, vectors raw; none",
       {"fields", "public", "none"}},
      {"windows", Whole{8}, "starts in each trajectory of an evaluation, evenly spread; 0: all", {}, 0, 1e9},
      {"rollout", Whole{0}, "steps of the long rollout; 0: as many as the file has", {}, 0, 1e9},
      {"damaged",
       std::string("fatal"),
       "trajectories that are damaged or not finite: fatal, or skip after reading all once",
       {"fatal", "skip"}},
      {"memory", Whole{2048}, "MiB for trajectories that are kept after they were read", {}, 0, 1e9}};
}

}  // namespace

const std::vector<Option>& train_options() {
  static const std::vector<Option> options{
      {"steps", Whole{131072}, "training steps", {}, 1, 1e12},
      {"batch", Whole{64}, "examples in a batch", {}, 1, 1e6},
      {"accumulate", Whole{1}, "batches whose mean gradient makes a step", {}, 1, 1e6},
      {"optimizer", std::string("adam"), "adam, or adamw with decoupled weight decay", {"adam", "adamw"}},
      {"learning_rate", 1e-3, "the largest, after the warm-up", {}, 0, 1e30},
      {"beta1", 0.9, "memory of the mean gradient", {}, 0, 0.9999999},
      {"beta2", 0.999, "memory of the mean squared gradient", {}, 0, 0.9999999},
      {"epsilon", 1e-8, "added to the root of the mean square", {}, 1e-30, 1},
      {"weight_decay", 0.0, "adam: added to the gradient; adamw: taken off the weights", {}, 0, 1e6},
      {"schedule", std::string("constant"), "of the learning rate after the warm-up", {"constant", "cosine"}},
      {"warmup", 0.0, "share of the steps with linear warm-up, as 0.1", {}, 0, 1},
      {"warmup_steps", Whole{0}, "steps of linear warm-up instead of a share; 0: the share", {}, 0, 1e12},
      {"final_learning_rate", 0.0, "of the cosine schedule at the last step", {}, 0, 1e30},
      {"clip", 0.0, "largest norm of all gradients together; 0: any", {}, 0, 1e30},
      {"ema",
       0.0,
       "decay of the running average of the weights, which is evaluated; 0: none",
       {},
       0,
       0.9999999},
      {"seed", Whole{1}, "of the first weights and of the order of the data", {}, 0, 9007199254740992.0},
      {"validate_every", Whole{1024}, "steps between validations", {}, 1, 1e12},
      {"log_every", Whole{256}, "steps between lines with the mean training loss", {}, 1, 1e12},
      {"checkpoint_every", Whole{8192}, "steps between checkpoints at most", {}, 1, 1e12},
      {"checkpoint_seconds", 60.0, "seconds between checkpoints at most", {}, 0, 1e9},
      {"threads", Whole{0}, "to compute with, unless --threads says it; 0: every core", {}, 0, 1024},
      {"wire",
       std::string("float"),
       "gradients on their way between processes: as they are, or half as large",
       {"float", "bfloat16"}},
      {"timeout",
       60.0,
       "seconds in which a process that died, hangs or lost its network ends the run",
       {},
       5,
       86400}};
  return options;
}

const std::vector<DataEntry>& data_entries() {
  static const std::vector<DataEntry> entries{
      {"tetris", "rigid bodies of four cubes that turn and drift", models::Kind::tetris, tetris_keys()},
      {"fluid", "fields on a grid that change in time, in files of The Well's layout", models::Kind::fluid,
       fluid_keys()}};
  return entries;
}

const DataEntry& data_entry(const std::string& name) {
  std::vector<std::string> names;
  for (const DataEntry& entry : data_entries()) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw Error("there is no kind of data '" + name + "'" +
              base::did_you_mean(name, names, "; 'gcan list' shows all"));
}

}  // namespace gcan::train
