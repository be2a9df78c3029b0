#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "gcan/report/html_report.h"
#include "gcan/report/learning_curves.h"
#include "gcan/train/files/metrics_file.h"

namespace gcan::experiments {

// An interactive chart and its still picture, which is drawn into the folder.
inline report::View chart_view(report::Chart chart, const std::string& folder, const std::string& file,
                               const std::string& caption) {
  report::draw_chart(chart, (std::filesystem::path(folder) / file).string());
  return {std::move(chart), {{file, caption}}};
}

// The learning curve of a run folder, with the run's name on the page.
inline report::LearningCurve named_curve(const std::string& run, const std::string& name) {
  train::LearningCurve curve = train::learning_curve(run);
  return {name, std::move(curve.train_steps), std::move(curve.train_errors), std::move(curve.valid_steps),
          std::move(curve.valid_errors)};
}

}  // namespace gcan::experiments
