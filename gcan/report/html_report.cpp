#include "gcan/report/html_report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "gcan/base/error.h"
#include "gcan/files/durable.h"
#include "gcan/report/page_frame.h"

namespace gcan::report {
namespace {

namespace fs = std::filesystem;

std::string element(const std::string& tag, const std::string& text) {
  return fmt::format("<{}>{}</{}>\n", tag, html_escaped(text), tag);
}

// For src="...": percent-encodes everything except letters, digits and a few signs.
std::string url_escaped(const std::string& path) {
  std::string result;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '.' || c == '-' || c == '_';
    result += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return result;
}

std::string figure_html(const fs::path& folder, const Figure& figure) {
  std::error_code ignored;
  const fs::path file(figure.file);
  if (file.is_absolute() || *file.lexically_normal().begin() == "..")
    throw Error(
        fmt::format("{}: a report's figure must be in its folder, with a relative path", figure.file));
  if (!fs::is_regular_file(folder / file, ignored))
    throw Error(
        fmt::format("{}: there is no such figure in the report's folder '{}'", figure.file, folder.string()));
  return fmt::format(
      "<figure><img src=\"{}\" alt=\"{}\" width=\"{}\" "
      "loading=\"lazy\">\n<figcaption>{}</figcaption></figure>\n",
      url_escaped(figure.file), html_escaped(figure.caption), figure.display_width,
      html_escaped(figure.caption));
}

// The views of a page, numbered in order.
class Views {
 public:
  std::string html(const fs::path& folder, const View& view) {
    std::string html =
        fmt::format("<div class=\"view\" data-view=\"{}\">\n<div class=\"stills\">\n", views_.size());
    for (const Figure& figure : view.stills) html += figure_html(folder, figure);
    views_.push_back(view_json(view.content, data_));
    return html += "</div>\n</div>\n";
  }

  // The data for the page's program.
  std::string scripts() const {
    std::string html = "<script type=\"application/json\" id=\"gcan-manifest\">";
    html += script_safe(
        fmt::format("{{\"blocks\":{},\n\"views\":[{}]}}", data_.blocks(), fmt::join(views_, ",\n")));
    html += "</script>\n<script type=\"application/octet-stream;base64\" id=\"gcan-data\">";
    html += data_.base64();
    return html += "</script>\n";
  }

 private:
  PageData data_;
  std::vector<std::string> views_;
};

// Hidden without scripts.
bool is_for_scripts(const Section& section) {
  return !section.views.empty() && section.paragraphs.empty() && section.tables.empty() &&
         section.figures.empty() &&
         std::all_of(section.views.begin(), section.views.end(),
                     [](const View& view) { return view.stills.empty(); });
}

std::string section_html(const fs::path& folder, const Section& section, Views& views) {
  std::string html = is_for_scripts(section) ? "<section class=\"for-scripts\">\n" : "<section>\n";
  html += element("h2", section.title);
  for (const std::string& paragraph : section.paragraphs) html += element("p", paragraph);
  for (const Table& table : section.tables) html += to_html(table);
  for (const View& view : section.views) html += views.html(folder, view);
  for (const Figure& figure : section.figures) html += figure_html(folder, figure);
  return html += "</section>\n";
}

std::string how_made(const HtmlReport& report) {
  if (report.commands.empty() && report.configuration.empty()) return "";
  std::string html = "<section>\n<h2>How this was made</h2>\n";
  std::string lines;
  for (const std::string& command : report.commands) lines += command + "\n";
  if (!lines.empty()) html += element("pre", lines);
  if (!report.configuration.empty())
    html +=
        "<details><summary>Configuration</summary>\n" + element("pre", report.configuration) + "</details>\n";
  return html += "</section>\n";
}

bool has_views(const HtmlReport& report) {
  return std::any_of(report.sections.begin(), report.sections.end(),
                     [](const Section& section) { return !section.views.empty(); });
}

}  // namespace

std::string write_html_report(const std::string& folder, const HtmlReport& report) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem)
    throw Error(fmt::format("{}: the report's folder cannot be created: {}", folder, problem.message()));
  std::string html = element("h1", report.title);
  if (!report.summary.empty())
    html += fmt::format("<p class=\"summary\">{}</p>\n", html_escaped(report.summary));
  if (has_views(report))
    html +=
        "<noscript><p class=\"note\">Scripts are off, so this page shows tables and still pictures; with "
        "them "
        "they can be turned, played, sorted and saved.</p></noscript>\n";
  Views views;
  for (const Section& section : report.sections) html += section_html(folder, section, views);
  html += how_made(report);
  if (!report.made_with.empty())
    html += element("footer", fmt::format("Made on {:%Y-%m-%d} with {}", fmt::gmtime(std::time(nullptr)),
                                          report.made_with));
  html = page_html({.title = report.title, .main = html, .scripts = views.scripts()});
  std::string path = (fs::path(folder) / "index.html").string();
  files::replace_durably(path, html);
  return path;
}

}  // namespace gcan::report
