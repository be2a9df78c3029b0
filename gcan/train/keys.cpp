#include "gcan/train/keys.h"

#include "gcan/base/error.h"
#include "gcan/base/spelling.h"

namespace gcan::train {
namespace {

using config::Option;
using Whole = std::int64_t;

std::vector<Option> tetris_keys() {
  return {{"file", std::string(), "data file of 'gcan simulate tetris'"},
          {"train", Whole{0}, "training trajectories; 0: all in the file", {}, 0, 1e9},
          {"valid", Whole{0}, "validation trajectories; 0: all in the file", {}, 0, 1e9},
          {"test", Whole{0}, "test trajectories; 0: all in the file", {}, 0, 1e9},
          {"steps_in", Whole{4}, "input steps", {}, 1, 1000},
          {"steps_out", Whole{4}, "steps to predict", {}, 1, 1000},
          {"velocities", false, "velocities in addition to positions, as input and output"}};
}

std::vector<Option> fluid_keys() {
  return {
      {"file", std::string(),
       "data file of 'gcan simulate', or another file in The Well's layout; a list or pattern such as "
       "\"sw-*.h5\" names the parts of a set"},
      {"train", Whole{0}, "training trajectories; 0: all in the file", {}, 0, 1e9},
      {"valid", Whole{0}, "validation trajectories; 0: all in the file", {}, 0, 1e9},
      {"test", Whole{0}, "test trajectories; 0: all in the file", {}, 0, 1e9},
      {"history", Whole{4}, "input frames", {}, 1, 1024},
      {"future", Whole{1}, "frames to predict", {}, 1, 1024},
      {"fields", std::string("s,v"), "kinds of the fields in order: s for scalar, v for vector"},
      {"names", std::string(), "the fields of the file to use, such as \"eta,velocity\"; empty: all"},
      {"normalise",
       std::string("fields"),
       "fields: by the mean and standard deviation of each field; public: scalars per grid point, vectors "
       "unchanged; none",
       {"fields", "public", "none"}},
      {"windows",
       Whole{8},
       "start frames per trajectory in an evaluation, evenly spaced; 0: all",
       {},
       0,
       1e9},
      {"rollout", Whole{0}, "steps of the long rollout; 0: to the end of the trajectory", {}, 0, 1e9},
      {"unroll",
       Whole{1},
       "consecutive predictions to train through, each made from the previous ones",
       {},
       1,
       64},
      {"pushforward",
       Whole{0},
       "largest number of predictions without gradients before those, drawn at random for each batch",
       {},
       0,
       64},
      {"noise", 0.0, "standard deviation of noise on the normalised input frames in training", {}, 0, 100},
      {"damaged",
       std::string("fatal"),
       "damaged or non-finite trajectories: fatal, or skip (reads all once at the start)",
       {"fatal", "skip"}},
      {"memory", Whole{2048}, "MiB of memory for caching trajectories", {}, 0, 1e9}};
}

}  // namespace

const std::vector<Option>& train_options() {
  static const std::vector<Option> options{
      {"steps", Whole{131072}, "training steps", {}, 1, 1e12},
      {"batch", Whole{64}, "examples per batch", {}, 1, 1e6},
      {"accumulate", Whole{1}, "batches per step, whose gradients are averaged", {}, 1, 1e6},
      {"optimizer", std::string("adam"), "adam, or adamw with decoupled weight decay", {"adam", "adamw"}},
      {"learning_rate", 1e-3, "learning rate after the warm-up", {}, 0, 1e30},
      {"beta1", 0.9, "decay of the mean gradient", {}, 0, 0.9999999},
      {"beta2", 0.999, "decay of the mean squared gradient", {}, 0, 0.9999999},
      {"epsilon", 1e-8, "added to the root of the mean square", {}, 1e-30, 1},
      {"weight_decay", 0.0, "adam: added to the gradient; adamw: subtracted from the weights", {}, 0, 1e6},
      {"schedule",
       std::string("constant"),
       "schedule of the learning rate after the warm-up",
       {"constant", "cosine"}},
      {"warmup", 0.0, "fraction of the steps with linear warm-up, such as 0.1", {}, 0, 1},
      {"warmup_steps", Whole{0}, "steps of linear warm-up; 0: use the fraction", {}, 0, 1e12},
      {"final_learning_rate", 0.0, "learning rate of the cosine schedule at the last step", {}, 0, 1e30},
      {"clip", 0.0, "clips the norm of the gradient; 0: off", {}, 0, 1e30},
      {"ema",
       0.0,
       "decay of the running average of the weights, which is evaluated; 0: off",
       {},
       0,
       0.9999999},
      {"seed",
       Whole{1},
       "seed of the initial weights and of the order of the data",
       {},
       0,
       9007199254740992.0},
      {"validate_every", Whole{1024}, "steps between validations", {}, 1, 1e12},
      {"log_every", Whole{256}, "steps between log lines with the mean training loss", {}, 1, 1e12},
      {"checkpoint_every", Whole{8192}, "largest number of steps between checkpoints", {}, 1, 1e12},
      {"checkpoint_seconds", 60.0, "largest number of seconds between checkpoints", {}, 0, 1e9},
      {"autocast",
       std::string("none"),
       "mixed precision: products and convolutions in 16 bits, the rest in float32; float16 needs a GPU",
       {"none", "bfloat16", "float16"}},
      {"threads", Whole{0}, "threads, unless --threads is given; 0: every core", {}, 0, 1024},
      {"wire",
       std::string("float"),
       "number format of gradients sent between processes",
       {"float", "bfloat16"}},
      {"backend",
       std::string("gloo"),
       "what sends between processes: gloo (TCP), mpi (started by mpirun), or nccl (between GPUs)",
       {"gloo", "mpi", "nccl"}},
      {"timeout", 60.0, "seconds until a dead, hung or disconnected process ends the run", {}, 5, 86400}};
  return options;
}

const std::vector<DataEntry>& data_entries() {
  static const std::vector<DataEntry> entries{
      {"tetris", "rigid bodies of four cubes that rotate and drift", models::Kind::tetris, tetris_keys()},
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
