#pragma once

#include <string>
#include <vector>

#include "gcan/report/page_view.h"
#include "gcan/report/table.h"

namespace gcan::report {

struct Figure {
  std::string file;         // its path from the report's folder
  std::string caption;      // also read out to those who cannot see it
  int display_width = 820;  // [px] at most
};

// Something to turn, play or zoom. The still pictures are shown in its place by browsers without
// scripts and on paper.
struct View {
  ViewContent content;
  std::vector<Figure> stills = {};
};

struct Section {
  std::string title;
  std::vector<std::string> paragraphs = {};
  std::vector<Table> tables = {};
  std::vector<Figure> figures = {};
  std::vector<View> views = {};
};

// One page about an experiment.
//
//   HtmlReport report{.title = "Tetris", .sections = {{"Errors", {"..."}, {table}, {{"errors.png",
//   "..."}}}}}; report.commands = {"gcan reproduce tetris-mlp --budget laptop"}; write_html_report("report",
//   report);                       // report/index.html
struct HtmlReport {
  std::string title;
  std::string summary = {};
  std::vector<Section> sections = {};
  std::vector<std::string> commands = {};  // that made it, as one would type them
  std::string configuration = {};          // as TOML, say
  std::string made_with = {};              // "gcan 0.1.0 (commit ...), g++ 12.2.0, 2 cores"
};

// Writes folder/index.html and returns its path. The page needs nothing but the pictures beside it: it opens
// without a network, from any place, in light and dark. Views work from the program and the numbers in the
// page itself; without scripts its tables and pictures are all there. The folder is made. Error if a figure's
// file is not in it.
std::string write_html_report(const std::string& folder, const HtmlReport& report);

}  // namespace gcan::report
