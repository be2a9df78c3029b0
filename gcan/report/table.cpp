#include "gcan/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gcan/base/columns.h"
#include "gcan/base/error.h"

namespace gcan::report {
namespace {

void check(const Table& table) {
  if (table.columns.empty()) throw Error(fmt::format("table '{}': it has no columns", table.title));
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    if (table.rows[i].size() != table.columns.size())
      throw Error(fmt::format("table '{}': row {} has {} cells, but there are {} columns", table.title, i,
                              table.rows[i].size(), table.columns.size()));
}

// The head and the rows as plain text.
std::vector<std::vector<std::string>> texts_of(const Table& table) {
  std::vector<std::vector<std::string>> texts{table.columns};
  for (const auto& row : table.rows) {
    texts.emplace_back();
    for (const Cell& cell : row) texts.back().push_back(cell.text);
  }
  return texts;
}

std::string markdown_escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '_' || c == '<' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string row_tag(const Table& table, std::size_t row) {
  const RowKind kind = row < table.row_kinds.size() ? table.row_kinds[row] : RowKind::plain;
  if (kind == RowKind::plain) return "<tr>";
  return kind == RowKind::paper ? "<tr class=\"paper\">" : "<tr class=\"ours\">";
}

std::string cell_html(const Cell& cell) {
  std::string html = html_escaped(cell.text);
  if (!cell.link.empty()) html = fmt::format("<a href=\"{}\">{}</a>", html_escaped(cell.link), html);
  return cell.strong ? fmt::format("<strong>{}</strong>", html) : html;
}

}  // namespace

void mark_least(Table& table, std::size_t column, const std::vector<double>& numbers) {
  const auto count =
      std::count_if(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
  if (count < 2) return;
  double least = std::numeric_limits<double>::infinity();
  for (const double number : numbers) least = std::fmin(least, number);
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    if (numbers[row] == least) table.rows.at(row).at(column).strong = true;
  }
}

std::string to_text(const Table& table) {
  check(table);
  std::string text = base::in_columns(texts_of(table));
  const std::size_t head = text.find('\n') + 1;
  std::string rule;
  for (std::size_t i = 0; i < base::text_width(text.substr(0, head - 1)); ++i) rule += "─";
  text.insert(head, rule + "\n");
  std::string result;
  if (!table.title.empty()) result.append(table.title).append("\n");
  result += text;
  for (const std::string& note : table.notes) result.append(note).append("\n");
  return result;
}

std::string to_markdown(const Table& table) {
  check(table);
  Table escaped = table;
  for (std::string& column : escaped.columns) column = markdown_escaped(column);
  for (auto& row : escaped.rows)
    for (Cell& cell : row) {
      cell.text = markdown_escaped(cell.text);
      if (cell.strong) cell.text = std::string("**").append(cell.text).append("**");
    }
  auto texts = texts_of(escaped);
  auto widths = base::column_widths(texts);
  std::vector<std::string> rule;
  for (std::size_t c = 0; c < widths.size(); ++c) {
    widths[c] = std::max<std::size_t>(widths[c], 4);
    rule.emplace_back(widths[c], '-');
    if (c > 0) rule.back().back() = ':';
  }
  texts.insert(texts.begin() + 1, rule);
  std::string result;
  if (!table.title.empty()) result.append("**").append(markdown_escaped(table.title)).append("**\n\n");
  for (const auto& line : texts) {
    result.append("| ").append(base::column_line(line, widths, {"lr", " | ", " | "})).append(" |\n");
  }
  for (const std::string& note : table.notes) result.append("\n").append(markdown_escaped(note)).append("\n");
  return result;
}

std::string to_html(const Table& table) {
  check(table);
  std::string result = "<div class=\"table\"><table>\n";
  if (!table.title.empty())
    result.append("<caption>").append(html_escaped(table.title)).append("</caption>\n");
  result += "<thead><tr>";
  for (const std::string& column : table.columns)
    result.append("<th scope=\"col\">").append(html_escaped(column)).append("</th>");
  result += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const auto& row = table.rows[r];
    result += row_tag(table, r);
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string inner = cell_html(row[c]);
      result += c == 0 ? fmt::format("<th scope=\"row\">{}</th>", inner) : fmt::format("<td>{}</td>", inner);
    }
    result += "</tr>\n";
  }
  result += "</tbody></table>\n";
  for (const std::string& note : table.notes)
    result.append("<p class=\"note\">").append(html_escaped(note)).append("</p>\n");
  return result += "</div>\n";
}

std::string error_text(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "-" : "diverged";
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size < 0.001 || size >= 1e5) return fmt::format("{:.2e}", value);
  const int before =
      static_cast<int>(std::floor(std::log10(size)));  // digits before the first shown, minus 1
  return fmt::format("{:.{}f}", value, std::max(0, 2 - before));
}

std::string html_escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      default: result += c;
    }
  }
  return result;
}

}  // namespace gcan::report
