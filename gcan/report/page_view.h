#pragma once

// The interactive views of a page, and their data for its program (web/src).

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gcan/report/bodies_view.h"
#include "gcan/report/chart.h"
#include "gcan/report/fields_view.h"
#include "gcan/report/learning_curves.h"
#include "gcan/report/page_data.h"

namespace gcan::report {

// A run and everything it depends on, for inspection and comparison.
struct RunSheet {
  struct Setting {
    std::string key, value, standard, help;
  };
  std::string name, folder;
  std::vector<Setting> settings;
  std::vector<std::pair<std::string, std::string>> machine;  // machine and versions
  std::vector<std::pair<std::string, std::string>> numbers;  // results
  LearningCurve curve;
};
struct RunsView {
  std::vector<RunSheet> runs;
};

using ViewContent = std::variant<Chart, BodiesView, FieldsView, RunsView>;

// The view as JSON; its numbers are added to the data.
std::string view_json(const ViewContent& view, PageData& data);

}  // namespace gcan::report
