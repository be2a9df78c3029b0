#pragma once

#include <string>
#include <vector>

#include "gcan/train/tasks/task.h"

namespace gcan::cli {

// One line of a table of errors, and its printing: the name, the error, the share of each predicted step.
// Below it the further numbers, where there are some, a column for each of the lines that have them.
struct ErrorRow {
  std::string name;
  train::Metrics metrics;
};
std::string errors_table(const std::vector<ErrorRow>& rows);

}  // namespace gcan::cli
