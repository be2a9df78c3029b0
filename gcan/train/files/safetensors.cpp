#include "gcan/train/files/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "gcan/base/error.h"
#include "gcan/files/durable.h"

namespace gcan::train {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors stores little-endian numbers");

using Json = nlohmann::ordered_json;

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMostHeader = 100'000'000;
constexpr const char* kMetadata = "__metadata__";

constexpr std::array<std::pair<const char*, torch::ScalarType>, 10> kTypes{{{"BOOL", torch::kBool},
                                                                            {"U8", torch::kUInt8},
                                                                            {"I8", torch::kInt8},
                                                                            {"I16", torch::kInt16},
                                                                            {"I32", torch::kInt32},
                                                                            {"I64", torch::kInt64},
                                                                            {"F16", torch::kFloat16},
                                                                            {"BF16", torch::kBFloat16},
                                                                            {"F32", torch::kFloat32},
                                                                            {"F64", torch::kFloat64}}};

const char* type_name(torch::ScalarType type) {
  for (const auto& [name, known] : kTypes) {
    if (known == type) return name;
  }
  throw Error(fmt::format("safetensors files hold no numbers of type {}", c10::toString(type)));
}

// One damaged or foreign file, told of in one sentence.
struct Reader {
  std::span<const std::byte> bytes;
  std::string name;

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("'{}' is not a whole safetensors file: {}", name, what));
  }
};

std::string header_text(const Reader& reader) {
  if (reader.bytes.size() < kLengthBytes) reader.fail("it ends before its header");
  std::uint64_t length = 0;
  std::memcpy(&length, reader.bytes.data(), kLengthBytes);
  if (length > kMostHeader) reader.fail(fmt::format("its header would have {} bytes", length));
  if (length > reader.bytes.size() - kLengthBytes) reader.fail("it ends within its header");
  return {reinterpret_cast<const char*>(reader.bytes.data()) + kLengthBytes, length};
}

// JSON whose objects have no key twice and are no deeper than the format needs.
Json parse_header(const Reader& reader, const std::string& text) {
  constexpr int kDepth = 3;
  std::vector<std::set<std::string>> keys;
  std::string problem;
  const auto look = [&](int depth, nlohmann::detail::parse_event_t event, const Json& parsed) {
    using Event = nlohmann::detail::parse_event_t;
    if (depth > kDepth) problem = "its header is nested too deep";
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
    case files::Seal::broken: reader.fail("its checksum is wrong; it was damaged after it was written");
    case files::Seal::none:
      if (wanted == Checksum::required) reader.fail("it has no checksum, or a damaged one");
  }
}

std::map<std::string, std::string> metadata_of(const Reader& reader, const Json& entry) {
  if (!entry.is_object()) reader.fail("its metadata is not a JSON object");
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : entry.items()) {
    if (!value.is_string()) reader.fail(fmt::format("the metadata '{}' is not a text", key));
    if (key != files::kSealKey) metadata[key] = value.get<std::string>();
  }
  return metadata;
}

// What the header says of one tensor.
struct Place {
  std::string name;
  torch::ScalarType type{};
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;
};

std::uint64_t whole(const Reader& reader, const Json& value, const std::string& name) {
  if (!value.is_number_unsigned())
    reader.fail(fmt::format("'{}' has a size that is not a whole number", name));
  return value.get<std::uint64_t>();
}

torch::ScalarType type_of(const Reader& reader, const Json& value, const std::string& name) {
  for (const auto& [text, type] : kTypes) {
    if (value == text) return type;
  }
  reader.fail(fmt::format("'{}' has numbers of an unknown type", name));
}

// The bytes of the shape; fails where their number does not fit.
std::uint64_t bytes_of(const Reader& reader, const Place& place) {
  std::int64_t bytes = static_cast<std::int64_t>(c10::elementSize(place.type));
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
  Place place{name,
              type_of(reader, entry["dtype"], name),
              {},
              whole(reader, entry["data_offsets"][0], name),
              whole(reader, entry["data_offsets"][1], name)};
  for (const Json& size : entry["shape"]) {
    const std::uint64_t number = whole(reader, size, name);
    if (number > std::uint64_t{1} << 62U) reader.fail(fmt::format("'{}' has an impossible shape", name));
    place.shape.push_back(static_cast<std::int64_t>(number));
  }
  if (place.begin > place.end || place.end - place.begin != bytes_of(reader, place)) {
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
  if (at != bytes) reader.fail(fmt::format("its tensors have {} bytes, and the file {}", at, bytes));
}

torch::Tensor tensor_at(const Place& place, std::span<const std::byte> numbers) {
  torch::Tensor tensor = torch::empty(place.shape, place.type);
  if (place.end > place.begin) {
    std::memcpy(tensor.data_ptr(), numbers.data() + place.begin, place.end - place.begin);
  }
  return tensor;
}

}  // namespace

void write_safetensors(const std::string& path, const NamedTensors& tensors,
                       const std::map<std::string, std::string>& metadata) {
  Json header;
  header[kMetadata] = {{files::kSealKey, files::kOpenSeal}};
  for (const auto& [key, value] : metadata) header[kMetadata][key] = value;
  std::vector<torch::Tensor> rows;
  std::uint64_t at = 0;
  for (const auto& [name, tensor] : tensors) {
    rows.push_back(tensor.detach().to(torch::kCPU).contiguous());
    const std::uint64_t end = at + rows.back().nbytes();
    header[name] = {{"dtype", type_name(tensor.scalar_type())},
                    {"shape", tensor.sizes().vec()},
                    {"data_offsets", {at, end}}};
    at = end;
  }
  std::string text = header.dump();
  text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');  // numbers start aligned
  std::vector<std::byte> bytes(kLengthBytes + text.size() + at);
  std::byte* to = bytes.data() + kLengthBytes + text.size();
  for (const torch::Tensor& row : rows) {
    if (row.nbytes() > 0) std::memcpy(to, row.data_ptr(), row.nbytes());
    to += row.nbytes();
  }
  files::seal(text, std::span(bytes).subspan(kLengthBytes + text.size()));
  const std::uint64_t length = text.size();
  std::memcpy(bytes.data(), &length, kLengthBytes);
  std::memcpy(bytes.data() + kLengthBytes, text.data(), text.size());
  files::write_durably(path, bytes);
}

Safetensors parse_safetensors(std::span<const std::byte> bytes, const std::string& name, Checksum checksum) {
  const Reader reader{bytes, name};
  const std::string text = header_text(reader);
  const Json header = parse_header(reader, text);
  check_checksum(reader, text, checksum);
  const auto numbers = bytes.subspan(kLengthBytes + text.size());
  Safetensors result;
  std::vector<Place> places;
  for (const auto& [key, entry] : header.items()) {
    if (key == kMetadata) {
      result.metadata = metadata_of(reader, entry);
    } else {
      places.push_back(place_of(reader, key, entry));
    }
  }
  check_places(reader, places, numbers.size());
  for (const Place& place : places) result.tensors.emplace_back(place.name, tensor_at(place, numbers));
  return result;
}

Safetensors read_safetensors(const std::string& path, Checksum checksum) {
  const std::string bytes = files::read_whole(path);
  return parse_safetensors(std::as_bytes(std::span(bytes)), path, checksum);
}

}  // namespace gcan::train
