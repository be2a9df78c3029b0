#include "gcan/deploy/tensorboard.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "gcan/base/error.h"
#include "gcan/files/durable.h"
#include "gcan/files/protobuf.h"
#include "gcan/train/files/metrics_file.h"

namespace gcan::deploy {
namespace {

namespace fs = std::filesystem;
using files::ProtobufMessage;
using Json = nlohmann::ordered_json;

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t rest = i;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? 0x82F63B78U : 0U);
    table[i] = rest;
  }
  return table;
}

std::string little_endian(std::uint64_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i, value >>= 8) bytes += static_cast<char>(value & 0xff);
  return bytes;
}

std::string masked_checksum(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return little_endian((crc >> 15 | crc << 17) + 0xa282ead8U, 4);
}

// The numbers of a line by name; elements of lists and objects are "list/3" and "object/name".
void add_scalars(const std::string& name, const Json& value,
                 std::vector<std::pair<std::string, double>>& found) {
  if (value.is_number()) {
    found.emplace_back(name, value.get<double>());
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      add_scalars(fmt::format("{}/{}", name, i + 1), value[i], found);
  } else if (value.is_object()) {
    for (const auto& [key, part] : value.items()) add_scalars(fmt::format("{}/{}", name, key), part, found);
  }
}

// Field numbers are those of tensorboard's event.proto and summary.proto.
std::string event(double time, std::int64_t step,
                  const std::vector<std::pair<std::string, double>>& scalars) {
  ProtobufMessage summary;
  for (const auto& [name, value] : scalars) {
    summary.message(1, ProtobufMessage().text(1, name).single(2, static_cast<float>(value)));
  }
  return tfrecord(ProtobufMessage().number(1, time).integer(2, step).message(5, summary).bytes());
}

double seconds_of(const Json& line) {
  return line.contains("seconds") && line["seconds"].is_number() ? line["seconds"].get<double>() : 0.0;
}

double seconds_since_1970(const fs::path& file) {
  const auto time = std::chrono::file_clock::to_sys(fs::last_write_time(file));
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static constexpr auto kTable = crc_table();
  std::uint32_t crc = 0xffffffffU;
  for (const char byte : bytes) crc = kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff] ^ crc >> 8;
  return ~crc;
}

std::string tfrecord(std::string_view bytes) {
  const std::string length = little_endian(bytes.size(), 8);
  return length + masked_checksum(length) + std::string(bytes) + masked_checksum(bytes);
}

TensorboardFile write_tensorboard(const std::string& run_folder) {
  const std::vector<Json> lines = train::read_metrics(run_folder);
  // Lines contain seconds of training; the last line was written at the file's modification time.
  const double end = seconds_since_1970(train::metrics_path(run_folder));
  const double begin = end - (lines.empty() ? 0.0 : seconds_of(lines.back()));
  std::string bytes = tfrecord(ProtobufMessage().number(1, begin).text(3, "brain.Event:2").bytes());
  TensorboardFile file;
  for (const Json& line : lines) {
    std::vector<std::pair<std::string, double>> scalars;
    for (const auto& [name, value] : line.items()) {
      if (name != "kind" && name != "step")
        add_scalars(line["kind"].get<std::string>() + "/" + name, value, scalars);
    }
    if (scalars.empty()) continue;
    bytes += event(begin + seconds_of(line), line["step"].get<std::int64_t>(), scalars);
    file.scalars += static_cast<std::int64_t>(scalars.size());
  }
  const fs::path folder = fs::path(run_folder) / "tensorboard";
  files::make_folder(folder.string());
  // Always the same name, because TensorBoard shows the events of every file in the folder.
  file.path = (folder / "events.out.tfevents.0000000000.gcan").string();
  files::replace_durably(file.path, bytes);
  return file;
}

}  // namespace gcan::deploy
