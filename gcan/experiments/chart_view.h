#pragma once

#include <filesystem>
#include <string>

#include "gcan/report/html_report.h"

namespace gcan::experiments {

// A chart to zoom in, and its picture, drawn into the folder.
inline report::View chart_view(report::Chart chart, const std::string& folder, const std::string& file,
                               const std::string& caption) {
  report::draw_chart(chart, (std::filesystem::path(folder) / file).string());
  return {std::move(chart), {{file, caption}}};
}

}  // namespace gcan::experiments
