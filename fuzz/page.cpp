// Names and numbers of files on a page: no text becomes a tag or a script, and JSON stays JSON.

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "fuzz/fuzz.h"
#include "gcan/report/html_report.h"
#include "gcan/report/page_data.h"
#include "gcan/report/page_view.h"
#include "gcan/report/table.h"

using namespace gcan;
using namespace gcan::report;

namespace {

void check_numbers(const std::uint8_t* data, std::size_t size) {
  std::vector<float> numbers(size / 4);
  if (!numbers.empty()) std::memcpy(numbers.data(), data, numbers.size() * 4);
  PageData page;
  page.add(numbers, {numbers.size()});
  page.add_rounded(numbers, {numbers.size()});
  fuzz::require(nlohmann::json::parse(page.blocks()).size() >= 2, "the blocks are JSON");
  fuzz::require(page.base64().find('<') == std::string::npos, "base64 has no tags");
}

void check_view(const ViewContent& view) {
  PageData page;
  const std::string json = view_json(view, page);
  const std::string safe = script_safe(json);
  fuzz::require(safe.find('<') == std::string::npos, "nothing in a script begins a tag");
  fuzz::require(nlohmann::json::parse(safe) == nlohmann::json::parse(json), "it means the same");
}

void check_chart(const std::string& text) {
  Chart chart{.title = text, .x_label = text, .y_label = text};
  chart.series.push_back({.name = text, .x = {1, 2}, .y = {3, 4}});
  check_view(chart);
}

void check_runs(const std::string& text) {
  RunsView runs;
  runs.runs.push_back({text, text, {{text, text, text, text}}, {{text, text}}, {{text, text}}, {}});
  check_view(runs);
}

void check_table(const std::string& text) {
  const std::string escaped = html_escaped(text);
  fuzz::require(escaped.find_first_of("<>\"") == std::string::npos, "escaped text has no tags and no quotes");
  if (text.empty()) return;  // without a title there is no tag for it
  const auto html_of = [](const std::string& cell) {
    return to_html(Table{cell, {cell, cell}, {{Cell(cell), Cell(cell, true)}}, {cell}});
  };
  static const std::string plain = html_of("x");
  const auto tags = [](const std::string& html) { return std::count(html.begin(), html.end(), '<'); };
  fuzz::require(tags(html_of(text)) == tags(plain), "a text adds no tags to a table");
  static_cast<void>(to_text(Table{text, {text, text}, {{Cell(text), Cell(text, true)}}, {text}}));
}

}  // namespace

// The first byte selects what the others become.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return -1;
  const std::string text = fuzz::text_of(data + 1, size - 1);
  switch (data[0] % 8) {
    case 0: check_numbers(data + 1, size - 1); break;
    case 1: check_chart(text); break;
    case 2:
    case 3: check_runs(text); break;
    default: check_table(text);
  }
  return 0;
}
