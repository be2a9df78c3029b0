// The header of safetensors files, with and without a valid checksum.

#include <cstring>

#include "fuzz/fuzz.h"
#include "gcan/files/checksum.h"
#include "gcan/train/files/safetensors_header.h"

using namespace gcan;

namespace {

// With the right checksum, if it has one, so that the code behind the check is reached.
void seal(std::string& bytes, std::size_t begin, std::size_t size) {
  const std::string mark = "\"crc32\":\"";
  std::string header = bytes.substr(begin, size);
  const auto at = header.find(mark);
  if (at == std::string::npos || at + mark.size() + 8 > header.size()) return;
  header.replace(at + mark.size(), 8, files::kOpenSeal);
  files::seal(header, std::as_bytes(std::span(bytes)).subspan(begin + size));
  bytes.replace(begin, size, header);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return -1;
  std::string bytes = fuzz::text_of(data + 1, size - 1);
  // Half of the inputs state the right length of their header: the text up to the last brace.
  if (data[0] % 2 == 0) {
    const auto brace = bytes.rfind('}');
    const std::uint64_t length = brace == std::string::npos ? 0 : brace + 1;
    bytes.insert(0, 8, '\0');
    std::memcpy(bytes.data(), &length, sizeof length);
    if (data[0] % 4 == 2) seal(bytes, sizeof length, length);
  }
  fuzz::refusal_of([&] {
    const auto all = std::as_bytes(std::span(bytes));
    const auto header = train::parse_safetensors_header(all, "fuzz", train::Checksum::if_present);
    std::uint64_t used = 0;
    for (const train::TensorPlace& place : header.tensors) {
      fuzz::require(place.begin <= place.end && place.end <= header.data.size(), "tensors lie in the file");
      used += place.end - place.begin;
    }
    fuzz::require(used == header.data.size(), "every byte belongs to one tensor");
  });
  return 0;
}
