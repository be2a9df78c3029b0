#include "gcan/report/html_report.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "gcan/base/error.h"
#include "gcan/files/whole_file.h"

namespace gcan::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --ink: #1c1e21; --soft: #5b6169; --paper: #ffffff; --line: #dcdfe3;
  --shade: #f5f6f8; --accent: #0072b2; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e7e9; --soft: #a3a8b0; --paper: #16181b;
  --line: #34383e; --shade: #1f2226; --accent: #56b4e9; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 920px; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .6rem; }
h2 { font-size: 1.3rem; margin: 2.6rem 0 .8rem; padding-top: 1.2rem; border-top: 1px solid var(--line); }
.summary { font-size: 1.08rem; color: var(--soft); margin: 0 0 1rem; }
.table { overflow-x: auto; margin: 1.2rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: .4rem; }
th, td { padding: .32rem .9rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap;
  font-weight: 400; }
thead th { border-bottom: 2px solid var(--ink); font-weight: 600; }
th:first-child { text-align: left; padding-left: 0; }
tbody tr:hover { background: var(--shade); }
.note { color: var(--soft); font-size: .9rem; margin: .4rem 0 0; }
figure { margin: 1.6rem 0; }
figure img { max-width: 100%; height: auto; display: block; background: #fff; border-radius: 6px;
  border: 1px solid var(--line); }
figcaption { color: var(--soft); font-size: .93rem; margin-top: .5rem; }
pre { background: var(--shade); border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem;
  overflow-x: auto; font: .88rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
details summary { cursor: pointer; color: var(--accent); }
footer { margin-top: 3rem; color: var(--soft); font-size: .88rem; }
@media print { main { max-width: none; padding: 0; } h2 { break-after: avoid; } figure { break-inside: avoid; } }
)";

std::string element(const std::string& tag, const std::string& text) {
  return fmt::format("<{}>{}</{}>\n", tag, html_escaped(text), tag);
}

// For src="...": everything but letters, digits and a few signs as %XX, so that any file name works.
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
    throw Error(fmt::format("{}: a report's figure must lie in its folder, named from there", figure.file));
  if (!fs::is_regular_file(folder / file, ignored))
    throw Error(
        fmt::format("{}: there is no such figure in the report's folder '{}'", figure.file, folder.string()));
  return fmt::format(
      "<figure><img src=\"{}\" alt=\"{}\" width=\"{}\" "
      "loading=\"lazy\">\n<figcaption>{}</figcaption></figure>\n",
      url_escaped(figure.file), html_escaped(figure.caption), figure.display_width,
      html_escaped(figure.caption));
}

std::string section_html(const fs::path& folder, const Section& section) {
  std::string html = "<section>\n" + element("h2", section.title);
  for (const std::string& paragraph : section.paragraphs) html += element("p", paragraph);
  for (const Table& table : section.tables) html += to_html(table);
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

}  // namespace

std::string write_html_report(const std::string& folder, const HtmlReport& report) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem)
    throw Error(fmt::format("{}: the report's folder cannot be made: {}", folder, problem.message()));
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  html += element("title", report.title) + "<style>" + kStyle + "</style>\n</head>\n<body>\n<main>\n";
  html += element("h1", report.title);
  if (!report.summary.empty())
    html += fmt::format("<p class=\"summary\">{}</p>\n", html_escaped(report.summary));
  for (const Section& section : report.sections) html += section_html(folder, section);
  html += how_made(report);
  if (!report.made_with.empty()) html += element("footer", "Made with " + report.made_with);
  html += "</main>\n</body>\n</html>\n";
  std::string path = (fs::path(folder) / "index.html").string();
  const std::string beside = path + ".partial";
  std::ofstream file(beside, std::ios::binary);
  file << html;
  file.close();
  if (!file) {
    fs::remove(beside, problem);
    throw Error(beside + ": cannot be written; is the disk full or the folder read-only?");
  }
  files::give_name(beside, path);
  return path;
}

}  // namespace gcan::report
