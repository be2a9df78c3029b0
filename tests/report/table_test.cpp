#include "gcan/report/table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/data/scratch.h"

namespace gcan::report {
namespace table_test {

Table example() {
  return {"Test error",
          {"model", "256", "1024"},
          {{"MLP", "4.51", "1.22"}, {"GCA-MLP", {"0.985", true}, "0.0420"}},
          {"131072 steps"}};
}

TEST(Table, TextIsAligned) {
  EXPECT_EQ(to_text(example()),
            "Test error\n"
            "model      256    1024\n"
            "──────────────────────\n"
            "MLP       4.51    1.22\n"
            "GCA-MLP  0.985  0.0420\n"
            "131072 steps\n");
}

TEST(Table, MarkdownIsATable) {
  EXPECT_EQ(to_markdown(example()),
            "**Test error**\n\n"
            "| model   |       256 |   1024 |\n"
            "| ------- | --------: | -----: |\n"
            "| MLP     |      4.51 |   1.22 |\n"
            "| GCA-MLP | **0.985** | 0.0420 |\n"
            "\n131072 steps\n");
}

TEST(Table, HtmlIsATable) {
  EXPECT_EQ(to_html(example()),
            "<div class=\"table\"><table>\n<caption>Test error</caption>\n"
            "<thead><tr><th scope=\"col\">model</th><th scope=\"col\">256</th><th "
            "scope=\"col\">1024</th></tr></thead>\n"
            "<tbody>\n<tr><th scope=\"row\">MLP</th><td>4.51</td><td>1.22</td></tr>\n"
            "<tr><th scope=\"row\">GCA-MLP</th><td><strong>0.985</strong></td><td>0.0420</td></tr>\n"
            "</tbody></table>\n<p class=\"note\">131072 steps</p>\n</div>\n");
}

TEST(Table, TheLeastOfAColumnIsBoldIfThereAreTwo) {
  const double none = std::nan(""), infinite = std::numeric_limits<double>::infinity();
  const auto strong = [](const std::vector<double>& numbers) {
    Table table{"", {"name", "error"}, {{"a", ""}, {"b", ""}, {"c", ""}, {"d", ""}}, {}};
    mark_least(table, 1, numbers);
    std::string rows;
    for (const auto& row : table.rows) rows += row[1].strong ? row[0].text : "";
    return rows;
  };
  EXPECT_EQ(strong({3, 2, none, 5}), "b");
  EXPECT_EQ(strong({3, 2, 2}), "bc") << "equal ones";
  EXPECT_EQ(strong({none, 2, infinite}), "") << "nothing to compare with";
  EXPECT_EQ(strong({}), "");
}

TEST(Table, UserTextIsEscaped) {
  const Table table{"", {"a|b", "<b>"}, {{"1 & 2", "x_y*z"}}, {}};
  const std::string html = to_html(table), markdown = to_markdown(table);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  EXPECT_NE(html.find("1 &amp; 2"), std::string::npos);
  EXPECT_NE(markdown.find("a\\|b"), std::string::npos);
  EXPECT_NE(markdown.find("x\\_y\\*z"), std::string::npos);
  EXPECT_EQ(html_escaped("'\"<>&"), "&#39;&quot;&lt;&gt;&amp;");
}

TEST(Table, CountsCharactersNotBytes) {
  const Table table{"", {"é", "n"}, {{"ééé", "1"}, {"abc", "2"}}, {}};
  EXPECT_EQ(to_text(table), "é    n\n──────\nééé  1\nabc  2\n");
}

TEST(Table, RowsMustFit) {
  Table table = example();
  table.rows.push_back({"one"});
  for (const auto& render : {to_text, to_markdown, to_html})
    test::expect_error_with([&] { render(table); }, {"Test error", "row 2 has 1 cells", "3 columns"});
  test::expect_error_with([] { to_text({}); }, {"no columns"});
}

TEST(Table, ErrorsHaveThreeDigits) {
  EXPECT_EQ(error_text(4.5061), "4.51");
  EXPECT_EQ(error_text(0.042), "0.0420");
  EXPECT_EQ(error_text(0.00732), "0.00732");
  EXPECT_EQ(error_text(6.1e-4), "6.10e-04");
  EXPECT_EQ(error_text(123.4), "123");
  EXPECT_EQ(error_text(1234.5), "1234");
  EXPECT_EQ(error_text(0), "0");
  EXPECT_EQ(error_text(std::nan("")), "-");
  EXPECT_EQ(error_text(std::numeric_limits<double>::infinity()), "diverged");
}

TEST(Table, HtmlMarksThePapersRowsAndLinks) {
  Table table{"", {"model", "error"}, {{"MLP, paper", "1"}, {"MLP, ours", "2"}, {"other", "3"}}, {}};
  table.row_kinds = {RowKind::paper, RowKind::ours};
  table.rows[1][1].link = "#run-\"1";
  const std::string html = to_html(table);
  EXPECT_NE(html.find("<tr class=\"paper\"><th scope=\"row\">MLP, paper"), std::string::npos);
  EXPECT_NE(html.find("<tr class=\"ours\">"), std::string::npos);
  EXPECT_NE(html.find("<tr><th scope=\"row\">other"), std::string::npos);
  EXPECT_NE(html.find("<a href=\"#run-&quot;1\">2</a>"), std::string::npos);
}

}  // namespace table_test
}  // namespace gcan::report
