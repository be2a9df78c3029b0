#include "gcan/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

// Characters, not bytes, of UTF-8.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::vector<std::size_t> widths(const Table& table, std::size_t extra) {
  std::vector<std::size_t> result;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    result.push_back(width(table.columns[c]));
    for (const auto& row : table.rows)
      result[c] = std::max(result[c], width(row[c].text) + (row[c].strong ? extra : 0));
  }
  return result;
}

std::string padded(const std::string& text, std::size_t to, bool left) {
  const std::string space(to - std::min(to, width(text)), ' ');
  return left ? text + space : space + text;
}

std::string line_of(const std::vector<std::string>& texts, const std::vector<std::size_t>& to,
                    const std::string& between) {
  std::string line;
  for (std::size_t c = 0; c < texts.size(); ++c) {
    if (c > 0) line += between;
    line += padded(texts[c], to[c], c == 0);
  }
  return line;
}

std::string markdown_escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '_' || c == '<' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

}  // namespace

std::string to_text(const Table& table) {
  check(table);
  const auto to = widths(table, 0);
  std::string result;
  if (!table.title.empty()) result.append(table.title).append("\n");
  const std::string head = line_of(table.columns, to, "  ");
  std::string rule;
  for (std::size_t i = 0; i < width(head); ++i) rule += "─";
  result.append(head).append("\n").append(rule).append("\n");
  for (const auto& row : table.rows) {
    std::vector<std::string> texts;
    for (const Cell& cell : row) texts.push_back(cell.text);
    std::string line = line_of(texts, to, "  ");
    line.erase(line.find_last_not_of(' ') + 1);
    result.append(line).append("\n");
  }
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
  auto to = widths(escaped, 0);
  std::vector<std::string> rule;
  for (std::size_t c = 0; c < to.size(); ++c) {
    to[c] = std::max<std::size_t>(to[c], 4);
    rule.emplace_back(to[c], '-');
    if (c > 0) rule.back().back() = ':';
  }
  std::string result;
  if (!table.title.empty()) result.append("**").append(markdown_escaped(table.title)).append("**\n\n");
  const auto add = [&](const std::vector<std::string>& texts) {
    result.append("| ").append(line_of(texts, to, " | ")).append(" |\n");
  };
  add(escaped.columns);
  add(rule);
  for (const auto& row : escaped.rows) {
    std::vector<std::string> texts;
    for (const Cell& cell : row) texts.push_back(cell.text);
    add(texts);
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
  for (const auto& row : table.rows) {
    result += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string text = html_escaped(row[c].text);
      const std::string inner = row[c].strong ? fmt::format("<strong>{}</strong>", text) : text;
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
