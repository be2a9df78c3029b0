// Data files in gcan's own layouts. The HDF5 library crashes on some of these inputs, but only in the
// forked process that reads a file first, never here.

#include <unistd.h>

#include "fuzz/copies.h"
#include "fuzz/fuzz.h"
#include "fuzz/memory_file.h"
#include "gcan/data/generate.h"
#include "gcan/data/well_file.h"
#include "gcan/files/checksum.h"

using namespace gcan;
using namespace gcan::data;

namespace {

void read_tetris(const std::string& path) {
  fuzz::refusal_of([&] {
    const TetrisFile file(path);
    for (const Split split : kSplits) static_cast<void>(file.read(split));
    static_cast<void>(file.position_statistics());
  });
}

void read_well(const std::string& path) {
  fuzz::refusal_of([&] {
    const WellReader reader(path);
    for (int i = 0; i < std::min(reader.description().trajectories(), 4); ++i) {
      static_cast<void>(reader.failure(i));
      static_cast<void>(reader.trajectory(i));
    }
    for (std::size_t f = 0; f < reader.description().fields.size(); ++f) {
      static_cast<void>(reader.statistics(f));
      static_cast<void>(reader.frame(f, 0, 0));
    }
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFolder folder;
  if (size == 0) return -1;
  // The first byte selects whether the file has a valid (forged) checksum, and which reader gets it.
  const std::string path = folder.write("fuzz.h5", fuzz::text_of(data + 1, size - 1));
  if (data[0] % 2 == 1) files::seal_file(path);
  if ((data[0] & 2) == 0)
    read_tetris(path);
  else
    read_well(path);
  ::unlink(path.c_str());
  return 0;
}
