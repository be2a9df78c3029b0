#include "gcan/experiments/fluid_report.h"

#include "gcan/files/durable.h"
#include "tests/report/pictures.h"
#include "tests/train/tiny_fluid.h"

namespace gcan::experiments {
namespace fluid_report_test {

using test::Scratch;

class FluidReport : public test::Drawing {
 protected:
  void SetUp() override {
    Drawing::SetUp();
    if (IsSkipped()) return;
    const std::string data = test::tiny_fluid_file(scratch);
    train::train(test::fluid_config(data, {"model.name=resnet"}), scratch / "plain");
    train::train(test::fluid_config(data), scratch / "gca");
    train::Observer observer;
    observer.stop = [steps = 0]() mutable { return ++steps == 6; };
    train::train(test::fluid_config(data, {"train.seed=3"}), scratch / "stopped", observer);
    files::make_folder(out);
  }
  bool drawn(const std::string& name) const { return std::filesystem::exists(out + "/" + name); }

  std::string out = scratch / "out";
  std::vector<ReportedRun> runs{
      {"Plain", scratch / "plain"}, {"GCA", scratch / "gca"}, {"Stopped", scratch / "stopped"}};
};

TEST_F(FluidReport, HasEverySection) {
  const auto sections = fluid_sections(runs, out, "a-");
  ASSERT_EQ(sections.size(), 4U);
  const char* files[][2] = {{"a-rollout-errors.png", ""},
                            {"a-rollout.gif", "a-rollout.png"},
                            {"a-spectrum.png", ""},
                            {"a-mass-drift.png", "a-enstrophy.png"}};
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_FALSE(sections[i].figures.empty()) << sections[i].title;
    EXPECT_EQ(sections[i].figures[0].file, files[i][0]);
    for (const report::Figure& figure : sections[i].figures) EXPECT_TRUE(drawn(figure.file)) << figure.file;
    if (*files[i][1] != '\0') {
      EXPECT_EQ(sections[i].figures.at(1).file, files[i][1]);
    }
  }
  EXPECT_EQ(test::gif_pictures(out + "/a-rollout.gif"), 12);  // six steps, the last one stays for six more
}

TEST_F(FluidReport, TheTableHasFinishedRunsAndPersistenceWithTheLeastStrong) {
  const report::Table table = rollout_error_section(runs, out, "").tables.at(0);
  EXPECT_EQ(table.columns, (std::vector<std::string>{"network", "one step", "heat", "flow", "scaled L2",
                                                     "5 steps", "whole rollout"}));
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.rows[0][0].text, "Plain");
  EXPECT_EQ(table.rows[2][0].text, "persistence");
  for (std::size_t column = 1; column < table.columns.size(); ++column) {
    int strong = 0;
    for (const auto& row : table.rows) strong += row[column].strong ? 1 : 0;
    EXPECT_EQ(strong, 1) << table.columns[column];
  }
  EXPECT_EQ(table.rows[0][1].text,
            report::error_text(train::read_result(scratch / "plain")->test_best.metrics.error));
}

TEST_F(FluidReport, UnfinishedRunsHaveARolloutAndNoErrors) {
  const std::vector<ReportedRun> stopped{runs[2]};
  EXPECT_EQ(rollout_error_section(stopped, out, "").paragraphs.at(0), "No run is finished yet.");
  EXPECT_TRUE(spectrum_section(stopped, out, "").figures.empty());
  EXPECT_TRUE(drift_section(stopped, out, "").figures.empty());
  EXPECT_EQ(rollout_section(stopped, out, "").figures.size(), 2U);
  test::expect_error_with([&] { rollout_section({}, out, ""); }, {"at least one"});
}

TEST_F(FluidReport, LeadTimesGiveWayToStepsWhereTheDataIsGone) {
  std::filesystem::remove(scratch / "fluid-1.h5");
  EXPECT_EQ(rollout_error_section(runs, out, "").figures.size(), 1U);
}

}  // namespace fluid_report_test
}  // namespace gcan::experiments
