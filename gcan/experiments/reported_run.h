#pragma once

#include <string>

namespace gcan::experiments {

// A finished or unfinished run as a report shows it.
struct ReportedRun {
  std::string name;  // "GCA-MLP"
  std::string folder;
  std::string data_file = {};  // where its data lies now; empty: where it was
};

}  // namespace gcan::experiments
