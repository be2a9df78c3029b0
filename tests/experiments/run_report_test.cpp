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
  test::expect_error_with(
      [&] {
        write_run_report({scratch / "fluid", scratch / "tetris"}, scratch / "both", "");
      },
      {"'fluid'", "'tetris'", "one kind"});
  EXPECT_FALSE(std::filesystem::exists(scratch / "both"));
  test::expect_error_with([&] { write_run_report({}, scratch / "both", ""); }, {"at least one"});
}

TEST(RunReport, OfSomethingElseIsAnErrorThatLeavesNothing) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch / "empty");
  test::expect_error_with([&] { write_run_report({scratch / "empty"}, scratch / "out", ""); },
                          {"empty", "not a run folder"});
  EXPECT_FALSE(std::filesystem::exists(scratch / "out"));
}

}  // namespace run_report_test
}  // namespace gcan::experiments
