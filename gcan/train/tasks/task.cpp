#include "gcan/train/tasks/task.h"

#include "gcan/base/error.h"
#include "gcan/base/spelling.h"
#include "gcan/train/tasks/fluid_task.h"
#include "gcan/train/tasks/tetris_task.h"

namespace gcan::train {

namespace {

template <class Value>
const Value* find_named(const std::vector<std::pair<std::string, Value>>& all, const std::string& name) {
  for (const auto& [known, value] : all) {
    if (known == name) return &value;
  }
  return nullptr;
}

}  // namespace

const double* Metrics::find_number(const std::string& name) const { return find_named(more, name); }

const std::vector<double>* Metrics::find_curve(const std::string& name) const {
  return find_named(curves, name);
}

double Metrics::number(const std::string& name) const {
  if (const double* value = find_number(name)) return *value;
  throw Error("the metrics have no number '" + name + "'");
}

const std::vector<double>& Metrics::curve(const std::string& name) const {
  if (const auto* values = find_curve(name)) return *values;
  throw Error("the metrics have no curve '" + name + "'");
}

const std::vector<DataKind>& data_kinds() {
  static const std::vector<DataKind> kinds{
      {"tetris", "rigid bodies of four cubes that turn and drift", models::Kind::tetris,
       tetris_data_options(),
       [](const config::Options& options) { return std::make_unique<TetrisTask>(options); }},
      {"fluid", "fields on a grid that change in time, in files of The Well's layout", models::Kind::fluid,
       fluid_data_options(),
       [](const config::Options& options) { return std::make_unique<FluidTask>(options); }}};
  return kinds;
}

const DataKind& find_data_kind(const std::string& name) {
  std::vector<std::string> names;
  for (const DataKind& kind : data_kinds()) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  throw Error("there is no kind of data '" + name + "'" +
              base::did_you_mean(name, names, "; 'gcan list' shows all"));
}

}  // namespace gcan::train
