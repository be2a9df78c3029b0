#include "gcan/train/tasks/task.h"

#include "gcan/base/error.h"
#include "gcan/distributed/group.h"
#include "gcan/train/tasks/fluid_task.h"
#include "gcan/train/tasks/tetris_task.h"

namespace gcan::train {

void Task::require(Split split) const {
  if (size(split) == 0)
    throw Error(std::string("the data has no examples in the split '") + to_string(split) + "'");
}

distributed::Group& Task::group() {
  if (!group_) group_ = std::make_shared<distributed::Group>();
  return *group_;
}

const std::vector<DataKind>& data_kinds() {
  static const std::vector<DataKind> kinds{
      {data_entry("tetris"),
       [](const config::Options& options) { return std::make_unique<TetrisTask>(options); }},
      {data_entry("fluid"),
       [](const config::Options& options) { return std::make_unique<FluidTask>(options); }}};
  return kinds;
}

const DataKind& find_data_kind(const std::string& name) {
  for (const DataKind& kind : data_kinds()) {
    if (kind.name == name) return kind;
  }
  throw Error("the data '" + data_entry(name).name + "' is listed, but has no task");
}

}  // namespace gcan::train
