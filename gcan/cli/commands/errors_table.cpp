#include "gcan/cli/commands/errors_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace gcan::cli {
namespace {

// Those of a full evaluation.
std::vector<const ErrorRow*> detailed(const std::vector<ErrorRow>& rows) {
  std::size_t most = 0;
  for (const ErrorRow& row : rows) most = std::max(most, row.metrics.more.size());
  std::vector<const ErrorRow*> result;
  for (const ErrorRow& row : rows) {
    if (most > 0 && row.metrics.more.size() == most) result.push_back(&row);
  }
  return result;
}

std::string details_table(const std::vector<const ErrorRow*>& rows) {
  std::size_t width = 0;
  for (const auto& [name, value] : rows.front()->metrics.more) width = std::max(width, name.size());
  std::string text = fmt::format("\n  {:<{}}", "", width);
  for (const ErrorRow* row : rows) text += fmt::format("  {:>12}", row->name);
  text += "\n";
  for (const auto& [name, value] : rows.front()->metrics.more) {
    text += fmt::format("  {:<{}}", name, width);
    for (const ErrorRow* row : rows) {
      text +=
          fmt::format("  {:>{}.4g}", row->metrics.number(name), std::max<std::size_t>(12, row->name.size()));
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string errors_table(const std::vector<ErrorRow>& rows) {
  std::size_t width = 0;
  for (const ErrorRow& row : rows) width = std::max(width, row.name.size());
  std::string text = fmt::format("  {:<{}}  {:>10}   by predicted step\n", "", width, "error");
  for (const ErrorRow& row : rows) {
    text += fmt::format("  {:<{}}  {:>10.4g}  ", row.name, width, row.metrics.error);
    for (const double share : row.metrics.by_step) text += fmt::format(" {:.4g}", share);
    text += "\n";
  }
  if (const auto full = detailed(rows); !full.empty()) text += details_table(full);
  return text;
}

}  // namespace gcan::cli
