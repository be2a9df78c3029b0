#include "gcan/report/gnuplot.h"

#include <algorithm>
#include <random>
#include <vector>

#include "gcan/report/chart.h"
#include "tests/report/pictures.h"

namespace gcan::report {
namespace gnuplot_test {

using Gnuplot = test::Drawing;

TEST(GnuplotText, HoldsNothingThatCouldEndIt) {
  EXPECT_EQ(gnuplot_text("u_x [m/s]"), "\"u_x [m/s]\"");
  EXPECT_EQ(gnuplot_text("it's"), R"("it\047s")");
  EXPECT_EQ(gnuplot_text("'12"), R"("\047\061\062")");
  EXPECT_EQ(gnuplot_text("a\nb"), R"("a\134nb")");
  EXPECT_EQ(gnuplot_text("\x1b"), R"("\134x1b")");
  EXPECT_EQ(gnuplot_text("\xff"), R"("\134xff")");
  EXPECT_EQ(gnuplot_text("\xc3\xa9"), R"("\303\251")");
  EXPECT_EQ(gnuplot_text(std::string(1, '\0')), R"("\134x00")");
  EXPECT_LT(gnuplot_text(std::string(1'000'000, '\n')).size(), 5000U);
}

// gnuplot shows the text itself, with unprintable characters escaped, and runs none of it.
TEST_F(Gnuplot, ReadsEveryTextAsText) {
  const std::vector<std::string> parts{"'",
                                       "\"",
                                       "`touch PWNED`",
                                       "\\",
                                       "\n",
                                       "\r",
                                       "system(\"touch PWNED\")",
                                       "@MACRO",
                                       "$",
                                       "{",
                                       "}",
                                       "#",
                                       ";",
                                       "!touch PWNED\n",
                                       "\\\n",
                                       "%s",
                                       "\xc3\xa9",
                                       "\xff",
                                       "\x80",
                                       "\t",
                                       "&",
                                       "~",
                                       "|touch PWNED",
                                       "<touch PWNED",
                                       "\"\nsystem(\"touch PWNED\")\n#",
                                       "'\nsystem(\"touch PWNED\")\n#",
                                       "\\\"",
                                       "\\'",
                                       "''",
                                       "$(touch PWNED)",
                                       "x",
                                       " ",
                                       std::string(1, '\0'),
                                       "\xe2\x80\xa8",
                                       "EOD",
                                       "<<EOD\n",
                                       "\\012",
                                       "^",
                                       "?"};
  std::mt19937 random(1);
  const auto draw = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  const ScratchFolder folder;
  std::string script = "MACRO = 'expanded'\nset print \"" + (folder.path() / "out").string() + "\"\n";
  std::string expected;
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (std::size_t k = draw(8) + 1; k > 0; --k)
      text += i % 2 == 0 ? parts[draw(parts.size())] : std::string(1, static_cast<char>(draw(256)));
    const std::string literal = gnuplot_text(text);
    script += "set title " + literal + " noenhanced\nset label 1 " + literal + "\nprint " + literal + "\n";
    // Decodes the text between the quotes, with \ooo as bytes.
    for (std::size_t at = 1; at + 1 < literal.size(); ++at) {
      if (literal[at] != '\\') {
        expected += literal[at];
        continue;
      }
      expected += static_cast<char>(std::stoi(literal.substr(at + 1, 3), nullptr, 8));
      at += 3;
    }
    expected += '\n';
  }
  run_gnuplot(script, folder);
  const std::string printed = test::file_text((folder.path() / "out").string());
  const auto differs = std::mismatch(expected.begin(), expected.end(), printed.begin(), printed.end());
  EXPECT_EQ(std::string(differs.first, expected.end()).substr(0, 100),
            std::string(differs.second, printed.end()).substr(0, 100));
  for (const auto& where : {std::filesystem::current_path(), folder.path()})
    EXPECT_FALSE(std::filesystem::exists(where / "PWNED"));
}

// Every text that a chart shows, and the name of its file.
TEST_F(Gnuplot, AChartRunsNothing) {
  for (const std::string& attack :
       {std::string("x\nsystem(\"touch PWNED\")\n#"), std::string("x'\nsystem(\"touch PWNED\")\n#"),
        std::string("`touch PWNED`"), std::string("\"\n!touch PWNED\n")}) {
    const std::string mark = scratch / "PWNED";
    std::string text = attack;
    text.replace(text.find("PWNED"), 5, mark);
    Chart chart;
    chart.title = chart.x_label = chart.y_label = text;
    chart.series.push_back({.name = text, .x = {1, 2}, .y = {1, 2}});
    std::string name = attack;
    std::replace(name.begin(), name.end(), '/', ' ');
    draw_chart(chart, scratch / (name + ".svg"));
    EXPECT_FALSE(std::filesystem::exists(mark));
    EXPECT_FALSE(std::filesystem::exists("PWNED"));
    EXPECT_TRUE(std::filesystem::exists(scratch / (name + ".svg")));
  }
}

TEST(PictureTerminal, FollowsTheName) {
  EXPECT_TRUE(test::contains(picture_terminal("a.png", "b", {300, 200}), "pngcairo size 600,400"));
  EXPECT_TRUE(test::contains(picture_terminal("a.svg", "b", {300, 200}), "svg size 300,200"));
  EXPECT_TRUE(test::contains(picture_terminal("a.pdf", "b", {300, 200}), "pdfcairo size 6cm,4cm"));
  test::expect_error_with([] { picture_terminal("a.jpg", "b", {1, 1}); }, {"a.jpg", ".png, .svg or .pdf"});
}

TEST(DrawBeside, LeavesNothingOfAFailure) {
  const test::Scratch scratch;
  const std::string out = scratch / "a.png";
  std::ofstream(out) << "old";
  const auto fails = [](const std::string& beside) {
    std::ofstream(beside) << "half";
    throw Error("no");
  };
  EXPECT_THROW(draw_beside(out, fails), Error);
  EXPECT_EQ(test::file_text(out), "old");
  EXPECT_FALSE(std::filesystem::exists(out + ".partial"));
  // A truncated picture, as on a full disk, gets no name either.
  const std::string svg = "<?xml version='1.0'?><svg></svg>\n";
  for (const std::string& part : {std::string(), svg.substr(0, 10), std::string("half a picture")}) {
    test::expect_error_with(
        [&] { draw_beside(out, [&](const std::string& beside) { std::ofstream(beside) << part; }); },
        {"a.png", "incomplete"});
    EXPECT_EQ(test::file_text(out), "old");
  }
  draw_beside(out, [&](const std::string& beside) { std::ofstream(beside) << svg; });
  EXPECT_EQ(test::file_text(out), svg);
  test::expect_error_with([&] { draw_beside(scratch / "no/a.png", fails); }, {"no/a.png", "no folder"});
}

TEST_F(Gnuplot, SaysWhatIsWrongWithAScript) {
  const ScratchFolder folder;
  test::expect_error_with([&] { run_gnuplot("plot nonsense(\n", folder); }, {"gnuplot failed", "line"});
}

TEST_F(Gnuplot, EveryLostByteOfAPictureIsSeen) {
  for (const std::string kind : {".png", ".gif", ".svg", ".pdf"}) {
    const ScratchFolder folder;
    const std::string picture = (folder.path() / "picture").string();
    const std::string terminal = kind == ".gif" ? "set terminal gif animate size 60,40\nset output " +
                                                      gnuplot_text(picture) + "\nplot x\n"
                                                : picture_terminal("a" + kind, picture, {60, 40});
    run_gnuplot(terminal + "plot x\nunset output\n", folder);
    const std::string bytes = test::file_text(picture);
    EXPECT_TRUE(is_whole_picture(bytes)) << kind;
    for (std::size_t size = 0; size + 2 < bytes.size(); size += 1 + bytes.size() / 300)
      ASSERT_FALSE(is_whole_picture(bytes.substr(0, size))) << kind << ' ' << size;
  }
}

TEST(ScratchFolderTest, IsRemoved) {
  std::filesystem::path path;
  {
    const ScratchFolder folder;
    path = folder.path();
    EXPECT_TRUE(std::filesystem::is_directory(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace gnuplot_test
}  // namespace gcan::report
