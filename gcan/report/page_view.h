#pragma once

// What a page shows as something to turn, play or compare, and how that is handed to its program (web/src).

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

// A run with everything that it depends on, to look at and to compare with others.
struct RunSheet {
  struct Setting {
    std::string key, value, standard, help;
  };
  std::string name, folder;
  std::vector<Setting> settings;
  std::vector<std::pair<std::string, std::string>> machine;  // what it ran on and with
  std::vector<std::pair<std::string, std::string>> numbers;  // what came out
  LearningCurve curve;
};
struct RunsView {
  std::vector<RunSheet> runs;
};

using ViewContent = std::variant<Chart, BodiesView, FieldsView, RunsView>;

// The view as JSON, its numbers added to the data.
std::string view_json(const ViewContent& view, PageData& data);

}  // namespace gcan::report
