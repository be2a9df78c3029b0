#include "gcan/cli/errors_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace gcan::cli {

std::string errors_table(const std::vector<ErrorRow>& rows) {
  std::size_t width = 0;
  for (const ErrorRow& row : rows) width = std::max(width, row.name.size());
  std::string text = fmt::format("  {:<{}}  {:>10}   by predicted step\n", "", width, "error");
  for (const ErrorRow& row : rows) {
    text += fmt::format("  {:<{}}  {:>10.4g}  ", row.name, width, row.error);
    for (const double share : row.by_step) text += fmt::format(" {:.4g}", share);
    text += "\n";
  }
  return text;
}

}  // namespace gcan::cli
