#include "gcan/train/tasks/fluid_rollout.h"

#include <fmt/format.h>

#include "gcan/base/error.h"
#include "gcan/train/tasks/fluid_task.h"

namespace gcan::train {
namespace {

std::vector<FluidPlane> planes_of(const TrajectoryStore& store) {
  std::vector<FluidPlane> planes;
  for (const std::size_t index : store.fields()) {
    const data::FieldInfo& field = store.file().description().fields[index];
    if (field.components.empty()) planes.push_back({field.name, field.unit});
    for (const std::string& component : field.components) {
      planes.push_back({fmt::format("{} {}", field.name, component), field.unit});
    }
  }
  return planes;
}

}  // namespace

FluidRollout roll_out(const std::string& run, Checkpoint checkpoint, Split split, std::int64_t trajectory,
                      std::int64_t start, std::int64_t steps, const std::string& data_file,
                      const torch::Device& device) {
  const std::unique_ptr<Task> data = task_of(run, data_file);
  auto* task = dynamic_cast<FluidTask*>(data.get());
  if (task == nullptr) throw Error(fmt::format("'{}' is not a fluid run", run));
  task->require(split);
  if (trajectory < 0 || trajectory >= task->size(split)) {
    throw Error(fmt::format("there is no trajectory {} in the split '{}', which has {}, counted from 0",
                            trajectory, to_string(split), task->size(split)));
  }
  TrajectoryStore& store = task->store();
  const data::Description& description = store.file().description();
  const auto frames = static_cast<std::int64_t>(description.frames());
  const std::int64_t history = task->history(), most = frames - history - start;
  if (start < 0 || most < 1 || steps < 0 || steps > most) {
    throw Error(
        fmt::format("cannot predict {} steps from frame {}: a trajectory has {} frames, of which the network "
                    "needs {} before the first step",
                    steps, start, frames, history));
  }
  const std::int64_t count = steps == 0 ? most : steps;
  const torch::NoGradGuard no_grad;
  const Loaded loaded = load(run, checkpoint, device);
  const torch::Tensor all = store.trajectory(task->trajectory_of(split, trajectory));
  const torch::Tensor input = all.narrow(0, start, history);
  const auto predictor = [&](const torch::Tensor& x) { return loaded.predict(x); };
  const torch::Tensor prediction = roll_out(predictor, input.unsqueeze(0).contiguous(), count).squeeze(0);
  const Normalisation& normal = store.normalisation();
  const auto first = description.frame_times.begin() + start + history;
  return {description,
          planes_of(store),
          {first, first + count},
          normal.undo(input),
          normal.undo(all.narrow(0, start + history, count)),
          normal.undo(prediction),
          loaded.config.network().title};
}

}  // namespace gcan::train
