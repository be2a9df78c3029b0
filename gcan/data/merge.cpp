#include "gcan/data/merge.h"

#include <fmt/format.h>

#include "gcan/base/error.h"

namespace gcan::data {

void merge_files(const std::vector<std::string>& files, const std::string& out, bool compress) {
  const WellReader parts(files);
  const Description& whole = parts.description();
  if (whole.options.empty())
    throw Error(fmt::format("'{}' was not written by 'gcan simulate'", files.front()));
  if (already_written(out, whole)) return;
  WellWriter writer(out, whole, compress);
  for (const int i : writer.missing()) writer.write(i, parts.trajectory(i));
  writer.finish();
}

}  // namespace gcan::data
