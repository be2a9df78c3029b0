#include "gcan/data/parameter.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

namespace gcan::data {

std::string to_string(const Value& value) {
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

void write_parameters(Hdf5File& file, const std::string& group, const std::vector<Parameter>& parameters) {
  file.make_group(group);
  for (const Parameter& parameter : parameters) {
    std::visit([&](const auto& value) { file.set(group, parameter.name, value); }, parameter.value);
    file.set(group, parameter.name + ".units", parameter.unit);
  }
}

std::vector<Parameter> read_parameters(const Hdf5File& file, const std::string& group) {
  std::vector<Parameter> result;
  for (const std::string& name : file.attributes(group)) {
    const std::string units = name + ".units";
    if (name.ends_with(".units")) continue;
    Parameter parameter{name, std::string(), "1"};
    if (file.attribute_is_text(group, units)) parameter.unit = file.text(group, units);
    if (file.attribute_is_text(group, name))
      parameter.value = file.text(group, name);
    else if (file.attribute_is_whole(group, name))
      parameter.value = file.whole_number(group, name);
    else
      parameter.value = file.number(group, name);
    result.push_back(parameter);
  }
  return result;
}

std::string difference(const std::vector<Parameter>& stored, const std::vector<Parameter>& wanted) {
  for (const Parameter& option : wanted) {
    const auto other =
        std::find_if(stored.begin(), stored.end(), [&](const Parameter& p) { return p.name == option.name; });
    if (other == stored.end()) return fmt::format("no option {}", option.name);
    if (other->value != option.value)
      return fmt::format("{} {} (now {})", option.name, to_string(other->value), to_string(option.value));
  }
  return stored.size() == wanted.size() ? "" : "other options";
}

}  // namespace gcan::data
