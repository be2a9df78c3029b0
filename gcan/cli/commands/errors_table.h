#pragma once

#include <string>
#include <vector>

#include "gcan/train/tasks/task.h"

namespace gcan::cli {

// Prints a table of errors: name, error and error per predicted step. Further metrics follow below, with a
// column for each row that has them.
struct ErrorRow {
  std::string name;
  train::Metrics metrics;
};
std::string errors_table(const std::vector<ErrorRow>& rows);

}  // namespace gcan::cli
