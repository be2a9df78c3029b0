#pragma once

#include <cmath>
#include <string>

namespace gcan::sim {

// One line of the tables that `gcan validate` prints.
struct Check {
  std::string name;
  std::string unit;
  double measured;
  double expected;
  double tolerance;  // on |measured - expected|
  bool passed() const { return std::abs(measured - expected) <= tolerance; }
};

}  // namespace gcan::sim
