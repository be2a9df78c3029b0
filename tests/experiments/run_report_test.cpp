#include "gcan/experiments/run_report.h"

#include <gtest/gtest.h>

#include "gcan/files/durable.h"
#include "tests/train/tiny_fluid.h"

namespace gcan::experiments {
namespace run_report_test {

using test::Scratch;

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(RunReport, ComparesRunsAlsoUnfinishedOnes) {
  const Scratch scratch;
  const std::string data = test::tiny_data(scratch);
  train::train(test::tiny_config(data), scratch / "first");
  train::Observer observer;
  observer.stop = [steps = 0]() mutable { return ++steps == 20; };
  train::train(test::tiny_config(data, {"train.seed=2"}), scratch / "second", observer);

  const std::string page =
      write_run_report({scratch / "first", scratch / "second"}, scratch / "out", "gcan report first second");
  EXPECT_EQ(page, scratch / "out/index.html");
  const std::string html = files::read_whole(page);
  EXPECT_EQ(count(html, "<img "), 6);
  // Two MLPs: each with the name of its folder.
  EXPECT_NE(html.find("MLP (first)"), std::string::npos);
  EXPECT_NE(html.find("20 of 40"), std::string::npos);
  EXPECT_NE(html.find("MLP (second) is not finished"), std::string::npos);
  EXPECT_NE(html.find("constant velocity"), std::string::npos);
  EXPECT_NE(html.find("gcan report first second"), std::string::npos);
}

TEST(RunReport, OfFluidsShowsRollouts) {
  const Scratch scratch;
  const std::string data = test::tiny_fluid_file(scratch);
  train::train(test::fluid_config(data), scratch / "fluid");
  const std::string html =
      files::read_whole(write_run_report({scratch / "fluid"}, scratch / "out", "gcan report fluid"));
  for (const char* part : {"A run of GCA-ResNet", "persistence", "learning.png", "rollout.gif", "rollout.png",
                           "rollout-errors.png", "spectrum.png", "mass-drift.png", "enstrophy.png"}) {
    EXPECT_NE(html.find(part), std::string::npos) << part;
  }
  train::train(test::tiny_config(test::tiny_data(scratch)), scratch / "tetris");
  // Their results are not combined.
  const std::string both = files::read_whole(
      write_run_report({scratch / "fluid", scratch / "tetris"}, scratch / "both", "gcan report"));
  for (const char* part : {"2 different data sets", "fluid-1.h5: heat, flow on 8 x 8: Errors",
                           "tetris-1.h5: Errors", "data-1-rollout.png", "data-2-motion-1.png"}) {
    EXPECT_NE(both.find(part), std::string::npos) << part;
  }
  test::expect_error_with([&] { write_run_report({}, scratch / "none", ""); }, {"at least one"});
  EXPECT_FALSE(std::filesystem::exists(scratch / "none"));
}

// Two files, one network on each: two tables, each with the persistence of its own data.
TEST(RunReport, RunsOnOtherDataAreSeparate) {
  const Scratch scratch;
  const std::string first = test::tiny_fluid_file(scratch), second = test::foreign_fluid_file(scratch);
  train::train(test::fluid_config(first), scratch / "a");
  train::train(test::fluid_config(second, {"data.valid=2", "data.test=2"}), scratch / "b");
  train::train(test::fluid_config(first, {"train.seed=2", "data.train=4"}), scratch / "c");
  const std::string html = files::read_whole(
      write_run_report({scratch / "a", scratch / "b", scratch / "c"}, scratch / "out", "gcan report a b c"));
  EXPECT_NE(html.find("GCA-ResNet (a)"), std::string::npos);
  EXPECT_NE(html.find("GCA-ResNet (c)"), std::string::npos);
  EXPECT_EQ(html.find("GCA-ResNet (b)"), std::string::npos) << "alone in its group";
  EXPECT_EQ(count(html, "<h2>fluid-1.h5: heat, flow on 8 x 8: Errors</h2>"), 1);
  EXPECT_EQ(count(html, "<h2>foreign.h5: heat, flow on 8 x 8: Errors</h2>"), 1);
  EXPECT_EQ(count(html, "<th scope=\"row\">persistence</th>"), 4) << "a row in both tables of each group";
  const auto errors_of = [&](const std::string& file) {
    const auto begin = html.find("<h2>" + file + ": heat, flow on 8 x 8: Errors</h2>");
    return html.substr(begin, html.find("</table>", begin) - begin);
  };
  EXPECT_EQ(count(errors_of("fluid-1.h5"), "<strong>"), 2) << "the least validation and test error of two";
  EXPECT_EQ(count(errors_of("foreign.h5"), "<strong>"), 0) << "one run has none to be compared with";
}

TEST(RunReport, OfMovedDataNeedsTheSameData) {
  const Scratch scratch;
  const std::string file = test::tiny_fluid_file(scratch), other = test::foreign_fluid_file(scratch);
  train::train(test::fluid_config(file), scratch / "a");
  std::filesystem::rename(file, scratch / "moved.h5");
  test::expect_error_with([&] { write_run_report({scratch / "a"}, scratch / "out", ""); },
                          {file, "does not exist", "--data FILE"});
  test::expect_error_with([&] { write_run_report({scratch / "a"}, scratch / "out", "", {other}); },
                          {other, "not the data", "gcan evaluate"});
  std::vector<std::string> notes;
  const auto note = [&](const std::string& sentence) { notes.push_back(sentence); };
  write_run_report({scratch / "a"}, scratch / "out", "", {scratch / "moved.h5", note});
  EXPECT_TRUE(std::filesystem::exists(scratch / "out/rollout.png"));
  EXPECT_FALSE(notes.empty());
}

TEST(RunReport, OfAnotherFolderIsAnErrorWithoutFiles) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch / "empty");
  test::expect_error_with([&] { write_run_report({scratch / "empty"}, scratch / "out", ""); },
                          {"empty", "not a run folder"});
  EXPECT_FALSE(std::filesystem::exists(scratch / "out"));
}

}  // namespace run_report_test
}  // namespace gcan::experiments
