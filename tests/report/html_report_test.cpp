#include "gcan/report/html_report.h"

#include "tests/report/pictures.h"

namespace gcan::report {
namespace html_report_test {

using test::contains;

HtmlReport example() {
  HtmlReport report{.title = "Tetris <1>", .summary = "Four steps in & four out."};
  report.sections = {{"Errors", {"A paragraph."}, {{"Table", {"model", "error"}, {{"MLP", "1.2"}}, {}}}, {}},
                     {"Motion", {}, {}, {{"my picture.png", "A \"caption\""}}}};
  report.commands = {"gcan reproduce tetris-mlp", "gcan report runs"};
  report.configuration = "[model]\nname = \"mlp\"\n";
  report.made_with = "gcan 0.1.0";
  return report;
}

TEST(HtmlReport, ContainsEverythingInOrder) {
  const test::Scratch scratch;
  std::ofstream(scratch / "my picture.png") << "picture";
  const std::string path = write_html_report(scratch / "", example());
  EXPECT_EQ(std::filesystem::path(path).filename(), "index.html");
  const std::string html = test::file_text(path);
  std::size_t at = 0;
  for (const char* part :
       {"<!DOCTYPE html>", "<title>Tetris &lt;1&gt;</title>", "Four steps in &amp; four out.",
        "<h2>Errors</h2>", "<p>A paragraph.</p>", "<td>1.2</td>", "src=\"my%20picture.png\"",
        "A &quot;caption&quot;</figcaption>", "gcan reproduce tetris-mlp\ngcan report runs",
        "name = &quot;mlp&quot;", "gcan 0.1.0", "</html>"}) {
    const std::size_t found = html.find(part, at);
    ASSERT_NE(found, std::string::npos) << part;
    at = found;
  }
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
}

// The page without the program and the data in it.
std::string without_scripts(std::string html) {
  for (auto at = html.find("<script"); at != std::string::npos; at = html.find("<script", at))
    html.erase(at, html.find("</script>", at) + 9 - at);
  return html;
}

TEST(HtmlReport, NeedsNothingFromOtherSites) {
  const test::Scratch scratch;
  std::ofstream(scratch / "my picture.png") << "picture";
  const std::string html = test::file_text(write_html_report(scratch / "", example()));
  EXPECT_TRUE(contains(html, "default-src 'none'"));
  for (const char* part : {"http:", "https:", "//", "<script", "<link", "@import", "url("})
    EXPECT_FALSE(contains(without_scripts(html), part)) << part;
  EXPECT_FALSE(contains(html, "<script src"));
  EXPECT_TRUE(contains(html, "prefers-color-scheme: dark"));
}

TEST(HtmlReport, ViewsHaveTheirPicturesAndTheirData) {
  const test::Scratch scratch;
  std::ofstream(scratch / "still.png") << "picture";
  const std::string evil = "</script><script>alert(1)</script>";
  HtmlReport report{.title = evil};
  Chart chart{.x_label = evil, .y_label = "y", .series = {{.name = evil, .x = {1, 2}, .y = {3, 4}}}};
  report.sections = {{.title = "Chart", .views = {{chart, {{"still.png", evil}}}, {chart}}}};
  const std::string html = test::file_text(write_html_report(scratch / "", report));
  EXPECT_TRUE(contains(html, "data-view=\"0\""));
  EXPECT_TRUE(contains(html, "data-view=\"1\""));
  EXPECT_TRUE(contains(html, "src=\"still.png\""));
  EXPECT_TRUE(contains(html, "\\u003c/script>"));
  // Data, manifest and program, and nothing from the names.
  EXPECT_EQ(test::count(html, "<script"), 3U);
  EXPECT_EQ(test::count(html, "</script>"), 3U);
  EXPECT_FALSE(contains(without_scripts(html), "alert(1)</script>"));
}

TEST(HtmlReport, EveryElementIsClosed) {
  const test::Scratch scratch;
  std::ofstream(scratch / "my picture.png") << "picture";
  const std::string html = test::file_text(write_html_report(scratch / "", example()));
  for (const char* tag : {"html", "head", "body", "main", "section", "table", "thead", "tbody", "tr", "td",
                          "th", "figure", "figcaption", "pre", "details", "style", "div", "footer", "h2"}) {
    const std::string name(tag);
    const auto opened = test::count(html, "<" + name + ">") + test::count(html, "<" + name + " ");
    EXPECT_EQ(opened, test::count(html, "</" + name + ">")) << tag;
    EXPECT_GT(opened, 0U) << tag;
  }
}

TEST(HtmlReport, MakesTheFolderAndReplacesThePage) {
  const test::Scratch scratch;
  EXPECT_NO_THROW(write_html_report(scratch / "new/folder", {.title = "One"}));
  const std::string path = write_html_report(scratch / "new/folder", {.title = "Two"});
  EXPECT_TRUE(contains(test::file_text(path), "<h1>Two</h1>"));
}

TEST(HtmlReport, FiguresMustExist) {
  const test::Scratch scratch;
  HtmlReport report = example();
  test::expect_error_with([&] { write_html_report(scratch / "", report); },
                          {"my picture.png", "no such figure"});
  for (const char* outside : {"/etc/hostname", "../a.png", "a/../../b.png"}) {
    report.sections[1].figures[0].file = outside;
    test::expect_error_with([&] { write_html_report(scratch / "", report); },
                            {outside, "must be in its folder"});
  }
  std::ofstream(scratch / "file") << "x";
  test::expect_error_with([&] { write_html_report(scratch / "file", {}); }, {"file", "folder"});
  EXPECT_FALSE(std::filesystem::exists(scratch / "index.html"));
}

}  // namespace html_report_test
}  // namespace gcan::report
