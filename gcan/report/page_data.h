#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace gcan::report {

// The range of values for 16-bit codes; values outside are clamped.
struct Limits {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(std::span<const float> values);  // extends the range by the finite values
  // Widened by the fraction `part` at both ends.
  [[nodiscard]] Limits widened(double part) const;
};

// Numbers for the program of a page, in blocks that views refer to by index: one base64 string with all
// blocks, and a JSON description of each. web/src/data.ts reads them.
//
//   PageData data;
//   const std::size_t errors = data.add(values, {12, 4, 8});             // 32 bits each
//   const std::size_t fields = data.add_rounded(frames, {20, 96, 192});  // 16 bits, packed
//   page += data.blocks() + data.base64();
class PageData {
 public:
  // Error if the shape does not match the number of values.
  std::size_t add(std::span<const float> values, const std::vector<std::size_t>& shape);
  std::size_t add(std::span<const double> values);  // a row, rounded to 32 bits

  // Quantises to 65535 levels between the limits, by default those of all finite values; non-finite values
  // are preserved. Similar neighbours along the last axis compress well.
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

// JSON that is safe inside a <script> element.
std::string script_safe(const std::string& json);

}  // namespace gcan::report
