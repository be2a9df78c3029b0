#include "gcan/train/files/safetensors.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

#include "gcan/base/error.h"
#include "gcan/files/checksum.h"
#include "gcan/files/durable.h"

namespace gcan::train {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLengthBytes = 8;
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
  throw Error(fmt::format("safetensors files cannot store numbers of type {}", c10::toString(type)));
}

torch::ScalarType type_named(const std::string& text) {
  for (const auto& [name, type] : kTypes) {
    if (text == name) return type;
  }
  throw Error(fmt::format("safetensors files cannot store numbers of type {}", text));
}

torch::Tensor tensor_at(const TensorPlace& place, std::span<const std::byte> data) {
  torch::Tensor tensor = torch::empty(place.shape, type_named(place.type));
  if (place.end > place.begin) {
    std::memcpy(tensor.data_ptr(), data.data() + place.begin, place.end - place.begin);
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
  text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');  // aligns the data
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
  const SafetensorsHeader header = parse_safetensors_header(bytes, name, checksum);
  Safetensors result{{}, header.metadata};
  for (const TensorPlace& place : header.tensors)
    result.tensors.emplace_back(place.name, tensor_at(place, header.data));
  return result;
}

Safetensors read_safetensors(const std::string& path, Checksum checksum) {
  const std::string bytes = files::read_whole(path);
  return parse_safetensors(std::as_bytes(std::span(bytes)), path, checksum);
}

}  // namespace gcan::train
