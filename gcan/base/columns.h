#pragma once

// Text in columns, for a terminal.

#include <string>
#include <vector>

namespace gcan::base {

// Characters of UTF-8, not bytes.
std::size_t text_width(const std::string& text);

// The layout of columns. `align` has 'l' or 'r' for each column; the last letter applies to all further
// columns: "lr" aligns the first column left and all others right.
struct ColumnStyle {
  std::string align = "lr";
  std::string gap = "  ";
  std::string first_gap = "  ";  // between the first two columns
};

// The width of the widest cell of each column; rows may be shorter than the first.
std::vector<std::size_t> column_widths(const std::vector<std::vector<std::string>>& rows);

// One row in columns of these widths, without a newline and without trailing padding.
std::string column_line(const std::vector<std::string>& row, const std::vector<std::size_t>& widths,
                        const ColumnStyle& style = {});

// All rows, one per line, without trailing spaces.
//
//   fmt::print("{}", in_columns({{"", "error"}, {"GCA-MLP", "0.26"}, {"MLP", "1.5"}}));
std::string in_columns(const std::vector<std::vector<std::string>>& rows, const ColumnStyle& style = {});

}  // namespace gcan::base
