#include "gcan/train/run.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>

#include "gcan/base/error.h"
#include "gcan/data/file_names.h"
#include "gcan/distributed/group.h"
#include "gcan/files/durable.h"
#include "gcan/files/json_text.h"
#include "gcan/files/output_lock.h"
#include "gcan/files/partial_name.h"
#include "gcan/nn/device.h"
#include "gcan/train/data_check.h"
#include "gcan/train/device.h"
#include "gcan/train/files/checkpoint.h"
#include "gcan/train/files/record.h"
#include "gcan/train/first_weights.h"
#include "gcan/train/loop/together.h"
#include "gcan/train/loop/trainer.h"
#include "gcan/train/memory.h"

namespace gcan::train {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kConstants = "data.safetensors";
constexpr const char* kFirst = "start.safetensors";

std::string in(const std::string& folder, const char* name) { return (fs::path(folder) / name).string(); }

Json read_json(const std::string& path) {
  const Json json = files::parse_json(files::read_whole(path));
  if (!json.is_object()) throw Error(fmt::format("'{}' is damaged: it is not JSON", path));
  return json;
}

// The network's prediction for an example must have the shape of the target. An example of validation: those
// of training may have targets for several predictions.
void check_fit(models::Network& network, Task& task, const Config& config) {
  const torch::NoGradGuard no_grad;
  const std::int64_t first = 0;
  const Batch batch = task.batch(Split::valid, std::span(&first, 1), {});
  network.eval();
  const torch::Tensor prediction = network.forward(batch.input);
  network.train();
  if (prediction.sizes() != batch.target.sizes()) {
    throw Error(fmt::format(
        "the network '{}' predicts a tensor of shape ({}), but the data has ({}); compare [model] and [data]",
        config.model_name, fmt::join(prediction.sizes(), ", "), fmt::join(batch.target.sizes(), ", ")));
  }
}

// The test split may be empty unless a size was set for it.
void check_splits(const Task& task, const Config& config) {
  task.require(Split::train);
  task.require(Split::valid);
  if (config.data.has("test") && config.data.integer("test") > 0) task.require(Split::test);
}

void check_batch(const Task& task, const Config& config) {
  const std::int64_t batch = config.train.integer("batch"), examples = task.size(Split::train);
  if (batch <= examples) return;
  throw Error(fmt::format("train.batch is {}, but there are {} training examples; set it to at most that",
                          batch, examples));
}

std::string absolute(const std::string& folder) {
  return (fs::absolute(folder) / "").lexically_normal().parent_path().string();
}

// Starts a run: writes its record and its configuration, the latter last, because a folder with a
// configuration is a run. Stores weights taken from another run, because that run may change.
void begin(const Config& config, const std::string& folder, const Task& task, const models::Network& network,
           const Start& start, const std::optional<TakenWeights>& taken, const Observer& observer,
           const RunsOn& on) {
  files::make_folder(folder);
  Json record = run_record(config, task, models::parameter_count(network), on);
  std::string sentence = fmt::format("starting from random weights, seed {}", config.train.integer("seed"));
  if (taken) {
    write_safetensors(in(folder, kFirst), weights_of(network));
    record["from"] = {{"run", absolute(start.from)},
                      {"checkpoint", to_string(start.checkpoint)},
                      {"step", taken->step},
                      {"random", taken->random}};
    sentence = start_sentence(start, *taken);
  }
  if (const NamedTensors constants = task.constants(); !constants.empty()) {
    write_safetensors(in(folder, kConstants), constants);
  }
  files::replace_durably(in(folder, "run.json"), record.dump(2).append("\n"));
  files::replace_durably(in(folder, "config.toml"), to_toml(config));
  if (observer.note) observer.note(sentence);
}

// On resuming: checks that this is the same run.
void check_same(const Config& config, const std::string& folder, const Task& task, const Observer& observer,
                const RunsOn& on) {
  const std::string path = in(folder, "run.json");
  const Json before = read_json(path);
  const Json now = run_record(config, task, 0, on);
  const auto value = [&](const char* section, const char* key) {
    if (!before.contains(section) || !before[section].is_object() || !before[section].contains(key)) {
      throw Error(fmt::format("'{}' is damaged: it has no {}.{}", path, section, key));
    }
    return before[section][key];
  };
  if (value("data", "checksum") != now["data"]["checksum"]) {
    throw Error(
        fmt::format("'{}' differs from the data in '{}', with which the run in '{}' was started; train into "
                    "another folder",
                    now["data"]["file"].get<std::string>(), value("data", "file").dump(), folder));
  }
  const bool same_bits = before.value("threads", Json()) == now["threads"] &&
                         value("libtorch", "capability") == now["libtorch"]["capability"];
  if (!same_bits && observer.note) {
    observer.note("the run was started with other threads or another SIMD level: its last digits may differ");
  }
  if (const int began = before.value("processes", 1); began != on.processes && observer.note) {
    observer.note(
        fmt::format("the run was started with {} and is resumed with {}: its last digits may differ",
                    began == 1 ? "one process" : fmt::format("{} processes", began),
                    on.processes == 1 ? "one" : std::to_string(on.processes)));
  }
  const std::string backend = now["backend"];
  if (const std::string began = before.value("backend", "gloo");
      began != backend && on.processes > 1 && observer.note) {
    observer.note(fmt::format(
        "the run was started with {} and is resumed with {}: its last digits may differ", began, backend));
  }
  const std::string device = now["device"];
  if (const std::string began = before.value("device", "cpu"); began != device && observer.note) {
    observer.note(fmt::format("the run was started on {} and is resumed on {}: its last digits may differ",
                              began, device));
  }
}

bool is_run(const std::string& folder) {
  std::error_code ignored;
  return fs::exists(in(folder, "config.toml"), ignored);
}

void check_config(const Config& config, const std::string& folder) {
  const std::string differs = difference(run_config(folder), config);
  if (differs.empty()) return;
  const bool longer = differs.starts_with("train.steps ");
  throw Error(fmt::format(
      "'{}' contains a run of another configuration ({}); {}train into another folder with --out, "
      "or remove this one",
      folder, differs,
      longer ? fmt::format("--steps {} trains it longer; or ", config.train.integer("steps")) : ""));
}

// Whether an existing run started with these weights.
void check_start(const std::string& folder, const Start& start) {
  if (start.from.empty()) return;
  const std::string wanted = absolute(start.from);
  if (wanted == absolute(folder)) {
    throw Error(fmt::format(
        "--from {} is the run itself; use --steps to train it longer, or --out to train into another folder",
        start.from));
  }
  const Json record = read_json(in(folder, "run.json"));
  const Json from = record.contains("from") ? record["from"] : Json();
  const bool has_run = from.is_object() && from.contains("run") && from["run"].is_string();
  const std::string began = has_run ? from["run"].get<std::string>() : "";
  if (began == wanted) return;
  throw Error(fmt::format("'{}' contains a run that started with {}; train into another folder with --out",
                          folder,
                          began.empty() ? "random weights" : fmt::format("the weights of '{}'", began)));
}

// A folder with only the remains of a killed start counts as new.
void check_not_foreign(const std::string& folder) {
  std::error_code problem;
  if (!fs::is_directory(folder, problem) || fs::exists(in(folder, "run.json"), problem)) return;
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    const std::string name = entry.path().filename().string();
    if (name == kConstants || name == kFirst || name == files::partial_name("run.json") ||
        name == files::partial_name("config.toml") || name == files::OutputLock::kNameInFolder)
      continue;
    throw Error(fmt::format(
        "the folder '{}' is not a run, because it contains '{}'; train into another one with --out", folder,
        name));
  }
  if (problem) throw Error(fmt::format("the folder '{}' cannot be read: {}", folder, problem.message()));
}

// Checks an existing run; returns its result if it is finished.
std::optional<Result> look_into(const std::string& folder, const Config& config, const Start& start) {
  if (!is_run(folder)) {
    check_not_foreign(folder);
    return std::nullopt;
  }
  check_config(config, folder);
  check_start(folder, start);
  return read_result(folder);
}

Loaded load_into(const std::string& folder, Checkpoint checkpoint, models::NetworkPtr network,
                 const Config& config) {
  const Snapshot snapshot = CheckpointFolder(folder).read_weights(to_string(checkpoint));
  copy_by_name(snapshot.weights, weights_of(*network), in(folder, "weights.safetensors"));
  if (!snapshot.average.empty()) {
    copy_by_name(snapshot.average, trained_of(*network), in(folder, "ema.safetensors"));
  }
  network->eval();
  return {config, network, snapshot.state.step};
}

// The same on all ranks, as read by rank 0.
Loaded load_together(const std::string& folder, Checkpoint checkpoint, const models::NetworkPtr& network,
                     const Config& config, distributed::Group& group) {
  Loaded loaded{config, network, 0};
  if (group.first()) loaded = load_into(folder, checkpoint, network, config);
  loaded.step = std::stoll(group.broadcast(std::to_string(loaded.step)));
  for (const auto& [name, tensor] : weights_of(*network)) group.broadcast(tensor);
  return loaded;
}

Result finish(const Config& config, const std::string& folder, const models::NetworkPtr& network, Task& task,
              const State& state, distributed::Group& group) {
  Result result;
  result.steps = state.step;
  result.seconds = state.seconds;
  result.steps_per_second = static_cast<double>(state.step) / state.train_seconds;
  result.parameters = models::parameter_count(*network);
  result.tested = task.size(Split::test) > 0;
  const auto judged = [&](Checkpoint checkpoint, Evaluated& valid, Evaluated& test) {
    const Loaded loaded = load_together(folder, checkpoint, network, config, group);
    valid = {loaded.step, judge(*network, task, Split::valid, result.tested ? Depth::quick : Depth::full)};
    test = {loaded.step, {std::nan("")}};
    if (result.tested) test.metrics = judge(*network, task, Split::test, Depth::full);
  };
  judged(Checkpoint::last, result.valid_last, result.test_last);
  judged(Checkpoint::best, result.valid_best, result.test_best);
  result.trivial = task.trivial(result.tested ? Split::test : Split::valid);
  if (group.first()) {
    files::replace_durably(in(folder, "result.json"), to_json(result).dump(2).append("\n"));
  }
  return result;
}

void restore_constants(const std::string& folder, Task& task) {
  if (const NamedTensors constants = run_constants(folder); !constants.empty()) task.use_constants(constants);
}

// Uses all trajectories of another file if it has fewer than the run's configuration asks for.
bool asks_for_more(const Task& task, Config& config) {
  bool changed = false;
  for (const Split split : data::kSplits) {
    const char* name = to_string(split);
    if (task.size(split) > 0 || !config.data.has(name) || config.data.integer(name) == 0) continue;
    config.data.set(name, std::int64_t{0});
    changed = true;
  }
  return changed;
}

void restore_first(const std::string& folder, models::Network& network) {
  const std::string path = in(folder, kFirst);
  if (fs::exists(path)) copy_by_name(read_safetensors(path).tensors, weights_of(network), path);
}

}  // namespace

const char* to_string(Checkpoint checkpoint) { return checkpoint == Checkpoint::last ? "last" : "best"; }

std::vector<Checkpoint> checkpoints_of(const std::string& folder) {
  std::vector<Checkpoint> found;
  for (const Checkpoint checkpoint : {Checkpoint::last, Checkpoint::best})
    if (CheckpointFolder(folder).has(to_string(checkpoint))) found.push_back(checkpoint);
  return found;
}

Checkpoint checkpoint_named(const std::string& text) {
  for (const Checkpoint checkpoint : {Checkpoint::last, Checkpoint::best}) {
    if (text == to_string(checkpoint)) return checkpoint;
  }
  throw Error(fmt::format("there is no checkpoint '{}'; use last or best", text));
}

Config run_config(const std::string& folder) {
  if (!is_run(folder)) {
    throw Error(
        fmt::format("'{}' is not a run folder: it has no config.toml; 'gcan train' makes one", folder));
  }
  return read_config(in(folder, "config.toml"));
}

std::optional<Result> read_result(const std::string& folder) {
  const std::string path = in(folder, "result.json");
  if (!fs::exists(path)) return std::nullopt;
  const Json json = read_json(path);
  try {
    return result_from(json);
  } catch (const Error& error) {
    throw Error(fmt::format("'{}': {}", path, error.what()));
  }
}

namespace {

// Evaluates a complete run, on rank 0.
std::optional<Result> look_together(const std::string& folder, const Config& config,
                                    distributed::Group& group, const Start& start) {
  std::optional<Result> result;
  if (group.first()) result = look_into(folder, config, start);
  if (group.alone()) return result;
  const std::string text = group.broadcast(result ? to_json(*result).dump() : "");
  return text.empty() ? std::nullopt : std::optional(result_from(Json::parse(text)));
}

// Prepares the folder on rank 0 before the first step; other ranks get its weights.
void prepare(const Config& config, const std::string& folder, Task& task, models::Network& network,
             const Start& start, const std::optional<TakenWeights>& taken, const Observer& observer,
             const RunsOn& on) {
  if (is_run(folder)) {
    check_same(config, folder, task, observer, on);
    restore_constants(folder, task);
    restore_first(folder, network);
  } else {
    begin(config, folder, task, network, start, taken, observer, on);
  }
  for (const std::string& sentence : task.notes()) {
    if (observer.note) observer.note(sentence);
  }
}

Outcome train_together(const Config& config, const std::string& folder, const Observer& observer,
                       const std::shared_ptr<distributed::Group>& shared, const Start& start,
                       const torch::Device& device) {
  distributed::Group& group = *shared;
  std::optional<distributed::Group::Busy> busy(group);
  if (const auto result = look_together(folder, config, group, start)) {
    return {End::was_complete, result->steps, result};
  }
  check_parts(group, config);
  std::ignore = autocast_of(config.train, device);  // throws before anything is created
  // Locks now if the folder exists, else after creating it: a run that cannot start creates nothing.
  std::optional<files::OutputLock> lock;
  std::error_code ignored;
  if (group.first() && fs::is_directory(folder, ignored)) lock.emplace(in(folder, ""));
  if (is_run(folder)) check_data_file(folder, config, "--set data.file=FILE");
  const std::unique_ptr<Task> task = config.make_task();
  std::ignore = task->record();  // reads the examples, so that damage is found before the folder is created
  task->share_with(shared);
  check_splits(*task, config);
  check_batch(*task, config);
  torch::manual_seed(static_cast<std::uint64_t>(config.train.integer("seed")));
  const models::NetworkPtr network = make_fitting_network(config);
  check_fit(*network, *task, config);
  if (device.is_cpu()) check_memory(config, *network, *task);
  const std::int64_t parameters = models::parameter_count(*network);
  check_alike(group, config, *task, parameters, device);
  std::optional<TakenWeights> taken;
  if (group.first()) {
    if (!start.from.empty() && !is_run(folder)) taken = take_weights(start, *network);
    files::make_folder(folder);
    if (!lock) lock.emplace(in(folder, ""));
  }
  // Another process may have trained here meanwhile.
  if (const auto result = look_together(folder, config, group, start)) {
    return {End::was_complete, result->steps, result};
  }
  if (group.first()) {
    prepare(config, folder, *task, *network, start, taken, observer, {group.size(), device, group.backend()});
  }
  broadcast_constants(group, *task);
  nn::move_to(*network, device);
  Trainer trainer(config, *network, *task, folder, observer, shared);
  if (trainer.state().step > 0 && observer.note) {
    observer.note(fmt::format("resuming from step {}", trainer.state().step));
  }
  if (observer.begin) observer.begin();
  busy.reset();
  if (!trainer.run()) return {End::stopped, trainer.state().step, std::nullopt};
  return {End::complete, trainer.state().step,
          finish(config, folder, network, *task, trainer.state(), group)};
}

}  // namespace

Outcome train(const Config& config, const std::string& folder, const Observer& observer,
              const std::shared_ptr<distributed::Group>& group, const Start& start,
              const torch::Device& device) {
  if (!group) {
    return train_together(config, folder, observer, std::make_shared<distributed::Group>(), start, device);
  }
  try {
    const Outcome outcome = train_together(config, folder, observer, group, start, device);
    group->leave();
    return outcome;
  } catch (const distributed::Fault&) {
    throw;
  } catch (const std::exception& error) {
    group->fail(error.what());
    throw;
  }
}

torch::Tensor Loaded::predict(const torch::Tensor& input) const {
  return network->forward(sent_to(nn::device_of(*network), input)).cpu();
}

Loaded load(const std::string& folder, Checkpoint checkpoint, const torch::Device& device) {
  const Config config = run_config(folder);
  const models::NetworkPtr network = config.make_network();
  nn::move_to(*network, device);
  return load_into(folder, checkpoint, network, config);
}

std::unique_ptr<Task> task_of(const std::string& folder, const std::string& data_file) {
  Config config = run_config(folder);
  if (!data_file.empty()) {
    config.data.set("file", data::absolute_names(data_file));
    // By name: another file may hold more fields, or hold them in another order.
    const std::string fields = recorded(folder, "fields");
    if (config.data.has("names") && !fields.empty()) config.data.set("names", fields);
  } else {
    check_data_file(folder, config, "--data FILE");
  }
  // The run's own normalisation is restored below, so no other is computed.
  if (config.data.has("normalise") && fs::exists(in(folder, kConstants)))
    config.data.set("normalise", std::string("none"));
  std::unique_ptr<Task> task = config.make_task();
  if (!data_file.empty() && asks_for_more(*task, config)) task = config.make_task();
  check_data(folder, *task);
  restore_constants(folder, *task);
  return task;
}

NamedTensors run_constants(const std::string& folder) {
  const std::string path = in(folder, kConstants);
  return fs::exists(path) ? read_safetensors(path).tensors : NamedTensors();
}

Evaluation evaluate(const std::string& folder, Checkpoint checkpoint, Split split,
                    const std::string& data_file, const torch::Device& device) {
  const Loaded loaded = load(folder, checkpoint, device);
  const std::unique_ptr<Task> task = task_of(folder, data_file);
  task->require(split);
  return {{loaded.step, judge(*loaded.network, *task, split, Depth::full)},
          task->trivial(split),
          task->size(split),
          check_data(folder, *task)};
}

Prediction predict(const std::string& folder, Checkpoint checkpoint, Split split,
                   std::span<const std::int64_t> indices, const std::string& data_file,
                   const torch::Device& device) {
  const Loaded loaded = load(folder, checkpoint, device);
  const std::unique_ptr<Task> task = task_of(folder, data_file);
  task->require(split);
  for (const std::int64_t index : indices) {
    if (index >= 0 && index < task->size(split)) continue;
    throw Error(fmt::format("there is no example {} in the split '{}', which has {}, counted from 0", index,
                            to_string(split), task->size(split)));
  }
  const torch::NoGradGuard no_grad;
  const Batch batch = task->batch(split, indices, {});
  return {batch.input, batch.target, loaded.predict(batch.input)};
}

}  // namespace gcan::train
