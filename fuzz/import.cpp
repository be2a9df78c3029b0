// NetCDF-4 and pdearena's HDF5, as 'gcan import' reads them; files of odd length are read by the names of
// their variables.

#include <filesystem>

#include "fuzz/copies.h"
#include "fuzz/fuzz.h"
#include "fuzz/memory_file.h"
#include "gcan/data/exchange.h"
#include "gcan/data/named_import.h"

using namespace gcan;
using namespace gcan::data;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFolder folder;
  const std::string path = folder.write("foreign.h5", fuzz::text_of(data, size)),
                    out = folder.path() + "/out.h5";
  const std::string refusal = fuzz::refusal_of([&] {
    if (size % 2 == 0)
      import_files({path}, out, false);
    else
      import_named({.files = {path},
                    .fields = {scalar_named("eta"), vector_named("u,v")},
                    .time = "time",
                    .x = "lon",
                    .y = "lat",
                    .out = out});
  });
  fuzz::require(refusal.empty() == std::filesystem::exists(out), "there is a file, or a sentence");
  if (refusal.empty()) fuzz::refusal_of([&] { static_cast<void>(WellReader(out).trajectory(0)); });
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) std::filesystem::remove(entry);
  return 0;
}
