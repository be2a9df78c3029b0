#include "gcan/cli/commands/errors_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "gcan/base/columns.h"

namespace gcan::cli {
namespace {

// The metrics of a full evaluation.
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
  std::vector<std::vector<std::string>> lines{{""}};
  for (const ErrorRow* row : rows) lines.front().push_back(row->name);
  for (const auto& [name, value] : rows.front()->metrics.more) {
    lines.push_back({"  " + name});
    for (const ErrorRow* row : rows) {
      lines.back().push_back(fmt::format("{:>12.4g}", row->metrics.number(name)));
    }
  }
  return "\n" + base::in_columns(lines);
}

}  // namespace

std::string errors_table(const std::vector<ErrorRow>& rows) {
  std::vector<std::vector<std::string>> lines{{"", "error", " by predicted step"}};
  for (const ErrorRow& row : rows) {
    std::string steps;
    for (const double share : row.metrics.by_step) steps += fmt::format(" {:.4g}", share);
    lines.push_back({"  " + row.name, fmt::format("{:>10.4g}", row.metrics.error), steps});
  }
  std::string text = base::in_columns(lines, {"lrl"});
  if (const auto full = detailed(rows); !full.empty()) text += details_table(full);
  return text;
}

}  // namespace gcan::cli
