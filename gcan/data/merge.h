#pragma once

#include <string>
#include <vector>

#include "gcan/data/well_file.h"

namespace gcan::data {

// Makes one file of those that several processes have written of one set, as one process would have written
// it. Error, with the file, for parts of different sets, parts that are missing or there twice, and files
// that are not of 'gcan simulate'. A merge that was stopped goes on.
void merge_files(const std::vector<std::string>& files, const std::string& out, bool compress);

}  // namespace gcan::data
