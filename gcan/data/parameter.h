#pragma once

#include <string>
#include <vector>

#include "gcan/config/options.h"
#include "gcan/config/setting.h"
#include "gcan/data/hdf5_file.h"

namespace gcan::data {

using config::Value;
std::string to_string(const Value& value);  // strings without quotes

// A named constant or option of a file.
struct Parameter {
  std::string name;
  Value value;
  std::string unit;  // "1" for none
};

// Stored as attributes NAME and NAME.units of a group, which is created.
void write_parameters(Hdf5File& file, const std::string& group, const std::vector<Parameter>& parameters);
std::vector<Parameter> read_parameters(const Hdf5File& file, const std::string& group);

// The settings of a struct as parameters of a file.
template <class Struct>
std::vector<Parameter> recorded(const std::vector<config::Setting<Struct>>& settings, const Struct& from) {
  std::vector<Parameter> result;
  result.reserve(settings.size());
  for (const auto& setting : settings) result.push_back({setting.name, setting.get(from), setting.unit});
  return result;
}

// The first difference between the options of two runs, such as "time-step 600 (now 3290)"; empty if there is
// none.
std::string difference(const std::vector<Parameter>& stored, const std::vector<Parameter>& wanted);

}  // namespace gcan::data
