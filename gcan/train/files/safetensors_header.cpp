#include "gcan/train/files/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "gcan/base/error.h"
#include "gcan/files/checksum.h"

namespace gcan::train {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors stores little-endian numbers");

using Json = nlohmann::ordered_json;
using Place = TensorPlace;

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMostHeader = 100'000'000;
constexpr const char* kMetadata = "__metadata__";

struct NumberKind {
  const char* name;
  std::int64_t bytes;
};
constexpr std::array<NumberKind, 10> kKinds{{{"BOOL", 1},
                                             {"U8", 1},
                                             {"I8", 1},
                                             {"I16", 2},
                                             {"I32", 4},
                                             {"I64", 8},
                                             {"F16", 2},
                                             {"BF16", 2},
                                             {"F32", 4},
                                             {"F64", 8}}};

// Reports errors of a damaged or foreign file.
struct Reader {
  std::span<const std::byte> bytes;
  std::string name;

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("'{}' is not a valid safetensors file: {}", name, what));
  }
};

std::string header_text(const Reader& reader) {
  if (reader.bytes.size() < kLengthBytes) reader.fail("it ends before the header");
  std::uint64_t length = 0;
  std::memcpy(&length, reader.bytes.data(), kLengthBytes);
  if (length > kMostHeader) reader.fail(fmt::format("its header would have {} bytes", length));
  if (length > reader.bytes.size() - kLengthBytes) reader.fail("it ends within the header");
  return {reinterpret_cast<const char*>(reader.bytes.data()) + kLengthBytes, length};
}

// Parses JSON, rejecting duplicate keys and deeper nesting than the format needs.
Json parse_header(const Reader& reader, const std::string& text) {
  constexpr int kDepth = 3;
  std::vector<std::set<std::string>> keys;
  std::string problem;
  const auto look = [&](int depth, nlohmann::detail::parse_event_t event, const Json& parsed) {
    using Event = nlohmann::detail::parse_event_t;
    if (depth > kDepth) problem = "its header is nested too deeply";
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(parsed.get<std::string>()).second) {
      problem = fmt::format("its header has '{}' twice", parsed.get<std::string>());
    }
    return true;
  };
  Json header;
  try {
    header = Json::parse(text, look);
  } catch (const nlohmann::json::exception&) {
    reader.fail("its header is not JSON");
  }
  if (!problem.empty()) reader.fail(problem);
  if (!header.is_object()) reader.fail("its header is not a JSON object");
  return header;
}

void check_checksum(const Reader& reader, const std::string& header, Checksum wanted) {
  switch (files::check_seal(header, reader.bytes.subspan(kLengthBytes + header.size()))) {
    case files::Seal::intact: return;
    case files::Seal::broken: reader.fail("its checksum is wrong: it was damaged after writing");
    case files::Seal::none:
      if (wanted == Checksum::required) reader.fail("it has no checksum, or a damaged one");
  }
}

std::map<std::string, std::string> metadata_of(const Reader& reader, const Json& entry) {
  if (!entry.is_object()) reader.fail("its metadata is not a JSON object");
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : entry.items()) {
    if (!value.is_string()) reader.fail(fmt::format("the metadata '{}' is not a string", key));
    if (key != files::kSealKey) metadata[key] = value.get<std::string>();
  }
  return metadata;
}

std::uint64_t integer(const Reader& reader, const Json& value, const std::string& name) {
  if (!value.is_number_unsigned())
    reader.fail(fmt::format("'{}' has a size that is not a whole number", name));
  return value.get<std::uint64_t>();
}

const NumberKind& kind_of(const Reader& reader, const Json& value, const std::string& name) {
  for (const NumberKind& kind : kKinds) {
    if (value == kind.name) return kind;
  }
  reader.fail(fmt::format("'{}' has numbers of an unknown type", name));
}

// The size of the shape in bytes; fails on overflow.
std::uint64_t bytes_of(const Reader& reader, const Place& place, std::int64_t bytes) {
  bool empty = false;
  for (const std::int64_t size : place.shape) {
    empty = empty || size == 0;
    // LibTorch computes strides as if a dimension of size 0 had size 1.
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(size, 1), &bytes)) {
      reader.fail(fmt::format("'{}' has an impossible shape", place.name));
    }
  }
  return empty ? 0 : static_cast<std::uint64_t>(bytes);
}

Place place_of(const Reader& reader, const std::string& name, const Json& entry) {
  constexpr std::size_t kKeys = 3;
  constexpr std::size_t kMostDimensions = 64;
  if (!entry.is_object() || entry.size() != kKeys || !entry.contains("dtype") || !entry.contains("shape") ||
      !entry.contains("data_offsets") || !entry["shape"].is_array() || !entry["data_offsets"].is_array() ||
      entry["data_offsets"].size() != 2 || entry["shape"].size() > kMostDimensions) {
    reader.fail(fmt::format("the entry of '{}' is not {{dtype, shape, data_offsets}}", name));
  }
  const NumberKind& kind = kind_of(reader, entry["dtype"], name);
  Place place{name,
              kind.name,
              {},
              integer(reader, entry["data_offsets"][0], name),
              integer(reader, entry["data_offsets"][1], name)};
  for (const Json& size : entry["shape"]) {
    const std::uint64_t number = integer(reader, size, name);
    if (number > std::uint64_t{1} << 62U) reader.fail(fmt::format("'{}' has an impossible shape", name));
    place.shape.push_back(static_cast<std::int64_t>(number));
  }
  if (place.begin > place.end || place.end - place.begin != bytes_of(reader, place, kind.bytes)) {
    reader.fail(fmt::format("the numbers of '{}' do not fit its shape", name));
  }
  return place;
}

// Every byte after the header belongs to exactly one tensor.
void check_places(const Reader& reader, std::vector<Place> places, std::uint64_t bytes) {
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t at = 0;
  for (const Place& place : places) {
    if (place.begin != at) {
      reader.fail(fmt::format("the numbers of '{}' begin at byte {}, not {}", place.name, place.begin, at));
    }
    at = place.end;
  }
  if (at != bytes) reader.fail(fmt::format("its tensors have {} bytes, but the file has {}", at, bytes));
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::span<const std::byte> bytes, const std::string& name,
                                           Checksum checksum) {
  const Reader reader{bytes, name};
  const std::string text = header_text(reader);
  const Json header = parse_header(reader, text);
  check_checksum(reader, text, checksum);
  SafetensorsHeader result;
  result.data = bytes.subspan(kLengthBytes + text.size());
  for (const auto& [key, entry] : header.items()) {
    if (key == kMetadata) {
      result.metadata = metadata_of(reader, entry);
    } else {
      result.tensors.push_back(place_of(reader, key, entry));
    }
  }
  check_places(reader, result.tensors, result.data.size());
  return result;
}

}  // namespace gcan::train
