#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace gcan::report {

// The values that 16 bits have to tell apart; what lies outside is moved to the nearest end.
struct Limits {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(std::span<const float> values);  // those that are finite
  // As wide as before and `part` of that more at both ends.
  [[nodiscard]] Limits widened(double part) const;
};

// Numbers for the program of a page, in blocks that its views name by their index: bytes of all blocks in one
// base64 text, and a description of each as JSON. web/src/data.ts reads them back.
//
//   PageData data;
//   const std::size_t errors = data.add(values, {12, 4, 8});             // 32 bits each
//   const std::size_t fields = data.add_rounded(frames, {20, 96, 192});  // 16 bits, packed
//   page += data.blocks() + data.base64();
class PageData {
 public:
  // Error if the shape does not have as many places as there are values.
  std::size_t add(std::span<const float> values, const std::vector<std::size_t>& shape);
  std::size_t add(std::span<const double> values);  // a row, rounded to 32 bits

  // 65535 even steps from the lowest to the highest limit, without limits of all finite values; what is not
  // finite stays so. Neighbours along the last axis that are alike make it short.
  std::size_t add_rounded(std::span<const float> values, const std::vector<std::size_t>& shape,
                          Limits limits = {});

  [[nodiscard]] std::string blocks() const;  // a JSON array
  [[nodiscard]] std::string base64() const;

 private:
  std::size_t put(const std::string& bytes, const std::vector<std::size_t>& shape, const std::string& more);

  std::string bytes_;
  std::vector<std::string> blocks_;
};

// Base64 with padding.
std::string base64_text(std::string_view bytes);

// JSON that can stand in a <script> of HTML: nothing in it begins a tag.
std::string script_safe(const std::string& json);

}  // namespace gcan::report
