// Names and numbers of files on a page: no text becomes a tag or a script, and JSON stays JSON.

#include <cstring>
#include <nlohmann/json.hpp>

#include "fuzz/fuzz.h"
#include "gcan/report/html_report.h"
#include "gcan/report/page_data.h"
#include "gcan/report/page_view.h"
#include "gcan/report/table.h"

using namespace gcan;
using namespace gcan::report;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  const std::string escaped = html_escaped(text);
  fuzz::require(escaped.find_first_of("<>\"") == std::string::npos, "escaped text has no tags and no quotes");

  std::vector<float> numbers(size / 4);
  if (!numbers.empty()) std::memcpy(numbers.data(), data, numbers.size() * 4);
  PageData page;
  page.add(numbers, {numbers.size()});
  page.add_rounded(numbers, {numbers.size()});
  Chart chart{.title = text, .x_label = text, .y_label = text};
  chart.series.push_back({.name = text, .x = {1, 2}, .y = {3, 4}});
  RunsView runs;
  runs.runs.push_back({text, text, {{text, text, text, text}}, {{text, text}}, {{text, text}}, {}});
  for (const ViewContent& view : {ViewContent(chart), ViewContent(runs)}) {
    const std::string json = view_json(view, page);
    const std::string safe = script_safe(json);
    fuzz::require(safe.find('<') == std::string::npos, "nothing in a script begins a tag");
    fuzz::require(nlohmann::json::parse(safe) == nlohmann::json::parse(json), "it means the same");
  }
  fuzz::require(nlohmann::json::parse(page.blocks()).size() >= 2, "the blocks are JSON");
  fuzz::require(page.base64().find('<') == std::string::npos, "base64 has no tags");

  if (text.empty()) return 0;  // where there is no title, there is no tag for it
  Table table{text, {text, text}, {{Cell(text), Cell(text, true)}}, {text}};
  const std::string html = to_html(table);
  const std::string plain = to_html(Table{"x", {"x", "x"}, {{Cell("x"), Cell("x", true)}}, {"x"}});
  const auto tags = [](const std::string& page_text) {
    return std::count(page_text.begin(), page_text.end(), '<');
  };
  fuzz::require(tags(html) == tags(plain), "a text adds no tags to a table");
  static_cast<void>(to_text(table));
  return 0;
}
