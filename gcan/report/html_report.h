#pragma once

#include <string>
#include <vector>

#include "gcan/report/page_view.h"
#include "gcan/report/table.h"

namespace gcan::report {

struct Figure {
  std::string file;         // path relative to the report's folder
  std::string caption;      // also the alternative text
  int display_width = 820;  // [px] at most
};

// An interactive view. Browsers without scripts, and print, show the still pictures instead.
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
//   HtmlReport report{.title = "Tetris"};
//   report.sections.push_back({"Errors", {"..."}, {table}, {{"errors.png", "..."}}});
//   report.commands = {"gcan reproduce tetris-mlp --budget laptop"};
//   write_html_report("report", report);                       // report/index.html
struct HtmlReport {
  std::string title;
  std::string summary = {};
  std::vector<Section> sections = {};
  std::vector<std::string> commands = {};  // that made it
  std::string configuration = {};          // for example as TOML
  std::string made_with = {};              // "gcan 0.1.0 (commit ...), g++ 12.2.0, 2 cores"
};

// Creates the folder, writes index.html into it and returns the path. The page depends only on the pictures
// beside it and works offline; program and data of the views are in the page. Without scripts it shows tables
// and pictures. Error if a figure's file is not in the folder.
std::string write_html_report(const std::string& folder, const HtmlReport& report);

}  // namespace gcan::report
