#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "gcan/data/hdf5_file.h"

namespace gcan::data {

using Value = std::variant<std::int64_t, double, std::string>;
std::string to_string(const Value& value);

// A named constant or option, as it stands in the file.
struct Parameter {
  std::string name;
  Value value;
  std::string unit;  // "1" for none
};

// As attributes NAME and NAME.units of a group, which is made.
void write_parameters(Hdf5File& file, const std::string& group, const std::vector<Parameter>& parameters);
std::vector<Parameter> read_parameters(const Hdf5File& file, const std::string& group);

// The first difference between the options of two runs as "time-step 600 (now 3290)"; empty if none.
std::string difference(const std::vector<Parameter>& stored, const std::vector<Parameter>& wanted);

}  // namespace gcan::data
