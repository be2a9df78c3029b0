#include "gcan/report/page_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "gcan/base/error.h"

namespace gcan::report {
namespace {

constexpr std::uint16_t kNotFinite = 65535;
constexpr double kLastCode = 65534;

void check(std::size_t values, const std::vector<std::size_t>& shape) {
  std::size_t places = 1;
  for (const std::size_t size : shape) places *= size;
  if (shape.empty() || places != values)
    throw Error(
        fmt::format("page data: {} values do not have the shape ({})", values, fmt::join(shape, ", ")));
}

std::uint16_t code(float value, const Limits& limits, double step) {
  if (!std::isfinite(value)) return kNotFinite;
  if (step == 0) return 0;
  const double place = (static_cast<double>(value) - limits.low) / step;
  return static_cast<std::uint16_t>(std::lround(std::clamp(place, 0.0, kLastCode)));
}

// Differences along rows, low bytes before high bytes: smooth fields become runs of small numbers, which
// compress well.
std::string differences(const std::vector<std::uint16_t>& codes, std::size_t row) {
  std::string bytes(2 * codes.size(), '\0');
  std::uint16_t last = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (i % row == 0) last = 0;
    const auto step = static_cast<std::uint16_t>(codes[i] - last);
    last = codes[i];
    bytes[i] = static_cast<char>(step & 255U);
    bytes[codes.size() + i] = static_cast<char>(step >> 8U);
  }
  return bytes;
}

std::string packed(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string result(size, '\0');
  const int problem = compress2(reinterpret_cast<Bytef*>(result.data()), &size,
                                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 9);
  if (problem != Z_OK) throw Error(fmt::format("page data: zlib cannot compress {} bytes", bytes.size()));
  result.resize(size);
  return result;
}

}  // namespace

void Limits::add(std::span<const float> values) {
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, static_cast<double>(value));
    high = std::max(high, static_cast<double>(value));
  }
}

Limits Limits::widened(double part) const {
  const double more = low <= high ? part * (high - low) : 0;
  return {low - more, high + more};
}

std::size_t PageData::add(std::span<const float> values, const std::vector<std::size_t>& shape) {
  check(values.size(), shape);
  std::string bytes(values.size_bytes(), '\0');
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return put(bytes, shape, R"("type":"f32")");
}

std::size_t PageData::add(std::span<const double> values) {
  const std::vector<float> rounded(values.begin(), values.end());
  return add(rounded, {rounded.size()});
}

std::size_t PageData::add_rounded(std::span<const float> values, const std::vector<std::size_t>& shape,
                                  Limits limits) {
  check(values.size(), shape);
  if (limits.low > limits.high) limits.add(values);
  if (limits.low > limits.high) limits = {0, 0};  // nothing is finite
  const double step = (limits.high - limits.low) / kLastCode;
  std::vector<std::uint16_t> codes(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) codes[i] = code(values[i], limits, step);
  return put(packed(differences(codes, std::max<std::size_t>(shape.back(), 1))), shape,
             fmt::format(R"("type":"u16","packed":true,"low":{:.17g},"step":{:.17g})", limits.low, step));
}

std::size_t PageData::put(const std::string& bytes, const std::vector<std::size_t>& shape,
                          const std::string& more) {
  blocks_.push_back(fmt::format(R"({{"at":{},"bytes":{},"shape":[{}],{}}})", bytes_.size(), bytes.size(),
                                fmt::join(shape, ","), more));
  bytes_ += bytes;
  bytes_.resize((bytes_.size() + 2) / 3 * 3);  // so that blocks do not share base64 characters
  return blocks_.size() - 1;
}

std::string PageData::blocks() const { return fmt::format("[{}]", fmt::join(blocks_, ",\n")); }

std::string PageData::base64() const { return base64_text(bytes_); }

std::string base64_text(std::string_view bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t j = 0; j < 3; ++j)
      three = three << 8U | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j)
      text += i + j > bytes.size() ? '=' : kLetters[three >> (18U - 6U * j) & 63U];
  }
  return text;
}

std::string script_safe(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

}  // namespace gcan::report
