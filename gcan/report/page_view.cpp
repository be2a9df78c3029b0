#include "gcan/report/page_view.h"

#include <array>

#include "gcan/report/page_json.h"

namespace gcan::report {
namespace {

std::string to_page(const Chart& chart, PageData& data) {
  constexpr std::array kMarkers{"none", "filled", "hollow"};
  Json json{{"kind", "chart"},          {"title", chart.title}, {"x_label", chart.x_label},
            {"y_label", chart.y_label}, {"x_log", chart.x_log}, {"y_log", chart.y_log},
            {"series", Json::array()}};
  for (const Series& series : chart.series)
    json["series"].push_back({{"name", series.page_name.empty() ? series.name : series.page_name},
                              {"colour", series.colour},
                              {"marker", kMarkers[static_cast<std::size_t>(series.marker)]},
                              {"dashed", series.dashed},
                              {"faint", series.faint},
                              {"reference", series.reference},
                              {"x", data.add(series.x)},
                              {"y", data.add(series.y)}});
  return page_text(json);
}

std::string to_page(const RunsView& view, PageData& data) {
  Json json{{"kind", "runs"}, {"runs", Json::array()}};
  for (const RunSheet& run : view.runs) {
    Json settings = Json::array();
    for (const RunSheet::Setting& s : run.settings)
      settings.push_back({{"key", s.key}, {"value", s.value}, {"standard", s.standard}, {"help", s.help}});
    json["runs"].push_back({{"name", run.name},
                            {"folder", run.folder},
                            {"settings", settings},
                            {"machine", run.machine},
                            {"numbers", run.numbers},
                            {"curve",
                             {{"train_steps", data.add(run.curve.train_steps)},
                              {"train_errors", data.add(run.curve.train_errors)},
                              {"valid_steps", data.add(run.curve.valid_steps)},
                              {"valid_errors", data.add(run.curve.valid_errors)}}}});
  }
  return page_text(json);
}

}  // namespace

std::string view_json(const ViewContent& view, PageData& data) {
  return std::visit([&](const auto& content) { return to_page(content, data); }, view);
}

}  // namespace gcan::report
