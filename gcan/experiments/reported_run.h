#pragma once

#include <string>

namespace gcan::experiments {

// A finished or unfinished run in a report.
struct ReportedRun {
  std::string name;  // "GCA-MLP"
  std::string folder;
  std::string data_file = {};  // its data file, if it was moved
};

}  // namespace gcan::experiments
