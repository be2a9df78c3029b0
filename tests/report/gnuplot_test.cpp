#include "gcan/report/gnuplot.h"

#include "tests/report/pictures.h"

namespace gcan::report {
namespace gnuplot_test {

using Gnuplot = test::Drawing;

TEST(GnuplotText, QuotesAreDoubled) { EXPECT_EQ(gnuplot_text("it's"), "'it''s'"); }

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
  draw_beside(out, [](const std::string& beside) { std::ofstream(beside) << "new"; });
  EXPECT_EQ(test::file_text(out), "new");
  test::expect_error_with([&] { draw_beside(scratch / "no/a.png", fails); }, {"no/a.png", "no folder"});
}

TEST_F(Gnuplot, SaysWhatIsWrongWithAScript) {
  const ScratchFolder folder;
  test::expect_error_with([&] { run_gnuplot("plot nonsense(\n", folder); }, {"gnuplot failed", "line"});
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
