#pragma once

#include <string>
#include <vector>

namespace gcan::cli {

// One line of a table of errors, and its printing: the name, the error, the share of each predicted step.
struct ErrorRow {
  std::string name;
  double error = 0;
  std::vector<double> by_step;
};
std::string errors_table(const std::vector<ErrorRow>& rows);

}  // namespace gcan::cli
