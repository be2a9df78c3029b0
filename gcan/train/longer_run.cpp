#include "gcan/train/longer_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "gcan/base/error.h"
#include "gcan/files/durable.h"
#include "gcan/files/output_lock.h"
#include "gcan/train/files/checkpoint.h"
#include "gcan/train/loop/schedule.h"
#include "gcan/train/run.h"

namespace gcan::train {
namespace {

namespace fs = std::filesystem;

std::int64_t steps_done(const std::string& folder) {
  const CheckpointFolder checkpoints(folder);
  return checkpoints.exists() ? checkpoints.read_weights("last").state.step : 0;
}

std::string schedule_sentence(const Config& config, std::int64_t done) {
  const Schedule schedule(config.train);
  const std::int64_t steps = config.train.integer("steps");
  if (!schedule.cosine) {
    return fmt::format("from step {} to {}: the learning rate stays at {:g}", done, steps, schedule.peak);
  }
  return fmt::format(
      "from step {} to {}: the learning rate follows the cosine over all {} steps, which is {:.3g} at step "
      "{} and {:g} at the last; a run started with {} steps would end with other weights",
      done, steps, steps, schedule(done + 1), done + 1, schedule.last, steps);
}

}  // namespace

LongerRun train_longer(const Config& config, const std::string& folder) {
  Config run = run_config(folder);
  const std::int64_t before = run.train.integer("steps"), steps = config.train.integer("steps");
  const std::int64_t warmup = Schedule(run.train).warmup;
  Config same = config;
  same.train.set("steps", before);
  if (const std::string differs = difference(run, same); !differs.empty()) {
    throw Error(
        fmt::format("'{}' contains a run of another configuration ({}), of which only the steps can be "
                    "changed; train into another "
                    "folder with --out, starting from its weights with --from {}",
                    folder, differs, folder));
  }
  if (steps == before) return {config, ""};
  const files::OutputLock lock((fs::path(folder) / "").string());
  const std::int64_t done = steps_done(folder);
  if (steps <= done) {
    throw Error(fmt::format("the run in '{}' has done {} steps; --steps expects more than that, not {}",
                            folder, done, steps));
  }
  run.train.set("steps", steps);
  run.train.set("warmup", 0.0);
  run.train.set("warmup_steps", std::min(warmup, steps));
  // Removes the result first: if interrupted here, the run will just be finished again.
  std::error_code problem;
  fs::remove(fs::path(folder) / "result.json", problem);
  if (problem)
    throw Error(fmt::format("the result in '{}' cannot be removed: {}", folder, problem.message()));
  files::replace_durably((fs::path(folder) / "config.toml").string(), to_toml(run));
  return {run, schedule_sentence(run, done)};
}

}  // namespace gcan::train
