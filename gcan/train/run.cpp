#include "gcan/train/run.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "gcan/base/error.h"
#include "gcan/files/durable.h"
#include "gcan/files/output_lock.h"
#include "gcan/train/files/checkpoint.h"
#include "gcan/train/files/record.h"
#include "gcan/train/loop/trainer.h"

namespace gcan::train {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kConstants = "data.safetensors";

std::string in(const std::string& folder, const char* name) { return (fs::path(folder) / name).string(); }

Json read_json(const std::string& path) {
  const Json json = Json::parse(files::read_whole(path), nullptr, false);
  if (!json.is_object()) throw Error(fmt::format("'{}' is damaged: it is not JSON", path));
  return json;
}

// What a network makes of the first training example must be what the task compares it with.
void check_fit(models::Network& network, Task& task, const Config& config) {
  const torch::NoGradGuard no_grad;
  const std::int64_t first = 0;
  const Batch batch = task.batch(Split::train, std::span(&first, 1), {});
  network.eval();
  const torch::Tensor prediction = network.forward(batch.input);
  network.train();
  if (prediction.sizes() != batch.target.sizes()) {
    throw Error(fmt::format(
        "the network '{}' predicts ({}), and the data has ({}); compare [model] and [data]",
        config.model_name, fmt::join(prediction.sizes(), ", "), fmt::join(batch.target.sizes(), ", ")));
  }
}

void check_batch(const Task& task, const Config& config) {
  const std::int64_t batch = config.train.whole("batch"), examples = task.size(Split::train);
  if (batch <= examples) return;
  throw Error(fmt::format("train.batch is {}, but there are {} training examples; set it to at most that",
                          batch, examples));
}

// The first start of a run: its configuration and its record, the configuration last, because a folder with
// a configuration is a run.
void begin(const Config& config, const std::string& folder, const Task& task, std::int64_t parameters) {
  files::make_folder(folder);
  if (const NamedTensors constants = task.constants(); !constants.empty()) {
    write_safetensors(in(folder, kConstants), constants);
  }
  files::replace_durably(in(folder, "run.json"), run_record(config, task, parameters).dump(2).append("\n"));
  files::replace_durably(in(folder, "config.toml"), to_toml(config));
}

// A later start: the same run?
void check_same(const Config& config, const std::string& folder, const Task& task, const Observer& observer) {
  const std::string path = in(folder, "run.json");
  const Json before = read_json(path);
  const Json now = run_record(config, task, 0);
  const auto value = [&](const char* section, const char* key) {
    if (!before.contains(section) || !before[section].is_object() || !before[section].contains(key)) {
      throw Error(fmt::format("'{}' is damaged: it has no {}.{}", path, section, key));
    }
    return before[section][key];
  };
  if (value("data", "checksum") != now["data"]["checksum"]) {
    throw Error(
        fmt::format("'{}' holds other data than '{}', with which the run in '{}' began; train into "
                    "another folder",
                    now["data"]["file"].get<std::string>(), value("data", "file").dump(), folder));
  }
  const bool same_bits = before.value("threads", Json()) == now["threads"] &&
                         value("libtorch", "capability") == now["libtorch"]["capability"];
  if (!same_bits && observer.note) {
    observer.note("the run began with other threads or another SIMD level: its last digits may differ");
  }
}

bool is_run(const std::string& folder) {
  std::error_code ignored;
  return fs::exists(in(folder, "config.toml"), ignored);
}

void check_config(const Config& config, const std::string& folder) {
  const std::string differs = difference(run_config(folder), config);
  if (differs.empty()) return;
  throw Error(
      fmt::format("'{}' holds a run of another configuration ({}); train into another folder with --out, "
                  "or remove this one",
                  folder, differs));
}

// A folder with nothing but what a start that was killed leaves is a new run.
void check_not_foreign(const std::string& folder) {
  std::error_code problem;
  if (!fs::is_directory(folder, problem) || fs::exists(in(folder, "run.json"), problem)) return;
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    const std::string name = entry.path().filename().string();
    if (name == kConstants || name == "run.json.partial" || name == "config.toml.partial" ||
        name == files::OutputLock::kNameInFolder)
      continue;
    throw Error(fmt::format(
        "the folder '{}' holds something else than a run, '{}'; train into another one with --out", folder,
        name));
  }
  if (problem) throw Error(fmt::format("the folder '{}' cannot be read: {}", folder, problem.message()));
}

// What is there already of a run: its result where it is complete.
std::optional<Result> look_into(const std::string& folder, const Config& config) {
  if (!is_run(folder)) {
    check_not_foreign(folder);
    return std::nullopt;
  }
  check_config(config, folder);
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

Result finish(const Config& config, const std::string& folder, const models::NetworkPtr& network, Task& task,
              const State& state) {
  Result result;
  result.steps = state.step;
  result.seconds = state.seconds;
  result.steps_per_second = static_cast<double>(state.step) / state.train_seconds;
  result.parameters = models::parameter_count(*network);
  const auto judged = [&](Checkpoint checkpoint, Evaluated& valid, Evaluated& test) {
    const Loaded loaded = load_into(folder, checkpoint, network, config);
    valid = {loaded.step, judge(*network, task, Split::valid, Depth::quick)};
    test = {loaded.step, judge(*network, task, Split::test, Depth::full)};
  };
  judged(Checkpoint::last, result.valid_last, result.test_last);
  judged(Checkpoint::best, result.valid_best, result.test_best);
  result.trivial = task.trivial(Split::test);
  files::replace_durably(in(folder, "result.json"), to_json(result).dump(2).append("\n"));
  return result;
}

void restore_constants(const std::string& folder, Task& task) {
  const std::string path = in(folder, kConstants);
  if (fs::exists(path)) task.use_constants(read_safetensors(path).tensors);
}

}  // namespace

const char* to_string(Checkpoint checkpoint) { return checkpoint == Checkpoint::last ? "last" : "best"; }

Checkpoint checkpoint_named(const std::string& text) {
  for (const Checkpoint checkpoint : {Checkpoint::last, Checkpoint::best}) {
    if (text == to_string(checkpoint)) return checkpoint;
  }
  throw Error(fmt::format("there is no checkpoint '{}'; there are last and best", text));
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
  try {
    return result_from(read_json(path));
  } catch (const Error& error) {
    throw Error(fmt::format("'{}': {}", path, error.what()));
  }
}

Outcome train(const Config& config, const std::string& folder, const Observer& observer) {
  if (const auto result = look_into(folder, config)) return {End::was_complete, result->steps, result};
  // At once where it can be, else when the folder is made: nothing is made for a run that cannot start.
  std::optional<files::OutputLock> lock;
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) lock.emplace(in(folder, ""));
  const std::unique_ptr<Task> task = config.make_task();
  check_batch(*task, config);
  torch::manual_seed(static_cast<std::uint64_t>(config.train.whole("seed")));
  const models::NetworkPtr network = config.make_network();
  check_fit(*network, *task, config);
  files::make_folder(folder);
  if (!lock) lock.emplace(in(folder, ""));
  // Another process may have trained here meanwhile.
  if (const auto result = look_into(folder, config)) return {End::was_complete, result->steps, result};
  if (is_run(folder)) {
    check_same(config, folder, *task, observer);
    restore_constants(folder, *task);
  } else {
    begin(config, folder, *task, models::parameter_count(*network));
  }
  for (const std::string& sentence : task->notes()) {
    if (observer.note) observer.note(sentence);
  }
  Trainer trainer(config, *network, *task, folder, observer);
  if (trainer.state().step > 0 && observer.note) {
    observer.note(fmt::format("goes on from step {}", trainer.state().step));
  }
  if (observer.begin) observer.begin();
  if (!trainer.run()) return {End::stopped, trainer.state().step, std::nullopt};
  return {End::complete, trainer.state().step, finish(config, folder, network, *task, trainer.state())};
}

Loaded load(const std::string& folder, Checkpoint checkpoint) {
  const Config config = run_config(folder);
  return load_into(folder, checkpoint, config.make_network(), config);
}

std::unique_ptr<Task> task_of(const std::string& folder, const std::string& data_file) {
  Config config = run_config(folder);
  if (!data_file.empty()) config.data.set("file", fs::absolute(data_file).string());
  std::unique_ptr<Task> task = config.make_task();
  restore_constants(folder, *task);
  return task;
}

Evaluation evaluate(const std::string& folder, Checkpoint checkpoint, Split split,
                    const std::string& data_file) {
  const Loaded loaded = load(folder, checkpoint);
  const std::unique_ptr<Task> task = task_of(folder, data_file);
  return {{loaded.step, judge(*loaded.network, *task, split, Depth::full)},
          task->trivial(split),
          task->size(split)};
}

Prediction predict(const std::string& folder, Checkpoint checkpoint, Split split,
                   std::span<const std::int64_t> indices, const std::string& data_file) {
  const Loaded loaded = load(folder, checkpoint);
  const std::unique_ptr<Task> task = task_of(folder, data_file);
  for (const std::int64_t index : indices) {
    if (index >= 0 && index < task->size(split)) continue;
    throw Error(fmt::format("there is no example {} in the split '{}', which has {}", index, to_string(split),
                            task->size(split)));
  }
  const torch::NoGradGuard no_grad;
  const Batch batch = task->batch(split, indices, {});
  return {batch.input, batch.target, loaded.network->forward(batch.input)};
}

}  // namespace gcan::train
