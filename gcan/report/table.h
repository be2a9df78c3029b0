#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gcan::report {

struct Cell {
  std::string text;
  bool strong = false;    // the best of its column, say; not shown on a terminal
  std::string link = {};  // in HTML: where the text leads, as "#run-3"

  // A cell is a text. NOLINTNEXTLINE(google-explicit-constructor)
  Cell(std::string words = {}, bool is_strong = false) : text(std::move(words)), strong(is_strong) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Cell(const char* words) : text(words) {}
};

// What a row is beside others: the paper's numbers, or ours for the row of the paper's above.
enum class RowKind { plain, paper, ours };

// A table, rendered for a terminal, for Markdown and for HTML. The first column is set to the left, the
// others, which hold numbers, to the right. Error from every rendering if a row has another length than the
// columns.
//
//   Table table{"Test error", {"model", "256", "1024"}, {{"MLP", "4.5", "1.2"}}, {"131072 steps"}};
//   std::cout << to_text(table);
struct Table {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes;       // below the table, a line each
  std::vector<RowKind> row_kinds = {};  // of the first rows; the others are plain
};

std::string to_text(const Table& table);
std::string to_markdown(const Table& table);
std::string to_html(const Table& table);

// An error in a table: three significant digits, in plain notation where that is short ("1.22", "0.0420",
// "6.10e-04"); "-" for what is not there (NaN).
std::string error_text(double value);

// Text for HTML: &, <, > and quotes become entities.
std::string html_escaped(const std::string& text);

}  // namespace gcan::report
