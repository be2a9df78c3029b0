#include "gcan/train/metrics.h"

#include "gcan/base/error.h"

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

}  // namespace gcan::train
