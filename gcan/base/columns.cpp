#include "gcan/base/columns.h"

#include <algorithm>

namespace gcan::base {

std::size_t text_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::vector<std::size_t> column_widths(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], text_width(row[c]));
  }
  return widths;
}

std::string column_line(const std::vector<std::string>& row, const std::vector<std::size_t>& widths,
                        const ColumnStyle& style) {
  std::string line;
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (c > 0) line += c == 1 ? style.first_gap : style.gap;
    const std::string space(widths[c] - std::min(widths[c], text_width(row[c])), ' ');
    const bool left = style.align[std::min(c, style.align.size() - 1)] == 'l';
    if (!left) line += space;
    line += row[c];
    if (left && c + 1 < row.size()) line += space;
  }
  return line;
}

std::string in_columns(const std::vector<std::vector<std::string>>& rows, const ColumnStyle& style) {
  const auto widths = column_widths(rows);
  std::string text;
  for (const auto& row : rows) {
    std::string line = column_line(row, widths, style);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace gcan::base
