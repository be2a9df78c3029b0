#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gcan::report {

struct Cell {
  std::string text;
  bool strong = false;    // bold, for example the best of its column; not on a terminal
  std::string link = {};  // in HTML: a link target, as "#run-3"

  // Implicit, for lists of cells. NOLINTNEXTLINE(google-explicit-constructor)
  Cell(std::string words = {}, bool is_strong = false) : text(std::move(words)), strong(is_strong) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Cell(const char* words) : text(words) {}
};

// The kind of a row: the paper's numbers, or ours for the paper's row above.
enum class RowKind { plain, paper, ours };

// A table for terminals, Markdown and HTML. The first column is left-aligned, the others right-aligned.
// Rendering throws Error if a row does not match the columns.
//
//   Table table{"Test error", {"model", "256", "1024"}, {{"MLP", "4.5", "1.2"}}, {"131072 steps"}};
//   std::cout << to_text(table);
struct Table {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes;       // below the table, one per line
  std::vector<RowKind> row_kinds = {};  // of the first rows; the others are plain
};

// Marks the smallest number of a column, if at least two rows have one; `numbers` are those of the first
// rows, NaN if a row has none. Marks all equal ones.
void mark_least(Table& table, std::size_t column, const std::vector<double>& numbers);

std::string to_text(const Table& table);
std::string to_markdown(const Table& table);
std::string to_html(const Table& table);

// An error in a table: three significant digits, in plain notation if that is short ("1.22", "0.0420",
// "6.10e-04"); "-" for NaN.
std::string error_text(double value);

// Text for HTML: &, <, > and quotes become entities.
std::string html_escaped(const std::string& text);

}  // namespace gcan::report
