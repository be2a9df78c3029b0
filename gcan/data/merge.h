#pragma once

#include <string>
#include <vector>

#include "gcan/data/well_file.h"

namespace gcan::data {

// Merges the parts that several processes have written of one set into the file that one process would have
// written. Error, with the file, for parts of different sets, missing or repeated parts, and files not
// written by 'gcan simulate'. A stopped merge resumes.
void merge_files(const std::vector<std::string>& files, const std::string& out, bool compress);

}  // namespace gcan::data
