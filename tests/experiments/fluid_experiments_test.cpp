#include "gcan/experiments/fluid_experiments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "gcan/train/config.h"
#include "tests/experiments/settings.h"
#include "tests/runner/source_dir.h"

namespace gcan::experiments {
namespace fluid_experiments_test {

using test::has;

// The networks of a table at a budget, by name, with their numbers of parameters. The configurations are
// those that are trained, so an unknown key would be an error here.
std::map<std::string, double> parameters(const Experiment& experiment, Budget budget) {
  Plan plan(experiment, budget);
  plan.choose_trajectories({plan.trajectories.front()});
  std::map<std::string, double> result;
  for (const Cell& cell : plan.cells()) {
    const auto network = train::make_config(cell.settings).make_network();
    result[cell.model] = static_cast<double>(models::parameter_count(*network));
  }
  return result;
}

// The largest divided by the smallest.
double spread(const std::map<std::string, double>& counts) {
  const auto [low, high] = std::minmax_element(
      counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return high->second / low->second;
}

TEST(FluidExperiments, NetworksOfALaptopTableHaveEquallyManyParameters) {
  for (const auto& experiment : fluid_experiments())
    EXPECT_LT(spread(parameters(*experiment, Budget::laptop)), 1.03) << experiment->name;
}

// Its networks are the laptop's; only more examples and the number of epochs tell them apart.
TEST(FluidExperiments, AWorkstationTrainsTheLaptopsNetworksTwentyTimesAsLong) {
  for (const auto& experiment : fluid_experiments()) {
    EXPECT_EQ(parameters(*experiment, Budget::workstation), parameters(*experiment, Budget::laptop));
    const auto laptop = Plan(*experiment, Budget::laptop).cells();
    const auto workstation = Plan(*experiment, Budget::workstation).cells();
    ASSERT_EQ(workstation.size(), laptop.size());
    for (std::size_t i = 0; i < laptop.size(); ++i) {
      EXPECT_EQ(workstation[i].trajectories, laptop[i].trajectories);
      EXPECT_GE(workstation[i].steps, 20 * laptop[i].steps) << workstation[i].name;
      EXPECT_TRUE(has(workstation[i].settings, "train.clip=1"));
      EXPECT_FALSE(has(laptop[i].settings, "train.clip=1"));
      EXPECT_TRUE(
          has(workstation[i].settings, "train.validate_every=" + std::to_string(workstation[i].steps / 50)));
    }
  }
}

TEST(FluidExperiments, RunsWithAnotherLearningRateAreOtherRuns) {
  Plan plan(find_experiment("navier-stokes"), Budget::workstation);
  EXPECT_EQ(plan.cells().front().name, "workstation-unet-208-50-1");
  plan.choose_learning_rate(1e-3);
  EXPECT_EQ(plan.cells().front().name, "workstation-unet-208-50-rate0.001-1");
  EXPECT_TRUE(has(plan.cells().front().settings, "train.learning_rate=0.001"));
}

// The paper's widths; its Clifford networks in G(2,0,0) are a fifth smaller than it says.
TEST(FluidExperiments, NetworksOfThePapersSizeHaveItsParameters) {
  auto resnets = parameters(find_experiment("shallow-water-resnet"), Budget::paper);
  EXPECT_EQ(
      resnets,
      (std::map<std::string, double>{
          {"resnet", 3036963}, {"cresnet", 2385408}, {"cresnet-rot", 2975552}, {"gca-resnet", 3003456}}));
  resnets.erase("cresnet");
  EXPECT_LT(spread(resnets), 1.03);
}

// configs/fluid holds the runs of the budget laptop at its larger number of trajectories.
TEST(FluidExperiments, ConfigurationsAreThoseOfTheBudgetLaptop) {
  std::size_t count = 0;
  for (const auto& experiment : fluid_experiments()) {
    Plan plan(*experiment, Budget::laptop);
    plan.choose_trajectories({plan.trajectories.back()});
    for (const Cell& cell : plan.cells()) {
      const std::string prefix = experiment->name == "navier-stokes" ? "navier-stokes-" : "";
      const std::string file = test::source_dir() + "/configs/fluid/" + prefix + cell.model + ".toml";
      EXPECT_EQ(
          train::difference(train::read_config(file, {"data.file="}), train::make_config(cell.settings)), "")
          << file;
      ++count;
    }
  }
  EXPECT_EQ(count, 10U);
}

TEST(FluidExperiments, EpochsBecomeSteps) {
  Plan plan(find_experiment("shallow-water-unet"), Budget::paper);
  // 50 epochs in which each of 112 trajectories is visited 88 times, 64 examples a step.
  EXPECT_EQ(plan.cells().front().steps, 50 * 112 * 88 / 64);
  plan.length = 1;
  EXPECT_EQ(plan.cells().front().steps, 112 * 88 / 64);
  EXPECT_TRUE(has(plan.cells().front().settings, "train.batch=8"));
  EXPECT_TRUE(has(plan.cells().front().settings, "train.accumulate=8"));
  const auto small = Plan(plan.experiment, Budget::laptop).cells();
  EXPECT_LT(small.front().steps, small.back().steps);
}

TEST(FluidExperiments, PaddingIsCircularOnTheLaptopsSphereButNotInTheBox) {
  const auto settings = [](const char* name, Budget budget) {
    return Plan(find_experiment(name), budget).cells().front().settings;
  };
  EXPECT_TRUE(has(settings("shallow-water-resnet", Budget::laptop), "model.padding_x=circular"));
  EXPECT_TRUE(has(settings("shallow-water-resnet", Budget::paper), "model.padding_x=zeros"));
  EXPECT_TRUE(has(settings("navier-stokes", Budget::laptop), "model.padding_x=zeros"));
}

TEST(FluidExperiments, DifferencesFromThePaperAreListed) {
  const auto said = [](const Plan& plan, const std::string& part) {
    const auto lines = plan.differences();
    return std::any_of(lines.begin(), lines.end(),
                       [&](const std::string& line) { return line.find(part) != std::string::npos; });
  };
  Plan plan(find_experiment("shallow-water-resnet"), Budget::laptop);
  EXPECT_TRUE(said(plan, "32 x 64 points (T21), 22 frames 5.5 h apart instead of 96 x 192"));
  EXPECT_TRUE(said(plan, "ResNet-36, CResNet-18"));
  EXPECT_TRUE(said(plan, "periodic in longitude"));
  const Plan paper(plan.experiment, Budget::paper);
  EXPECT_FALSE(said(paper, "Widths"));
  EXPECT_FALSE(said(paper, "epochs, each trajectory 88 times in each, in steps of 64 instead"));
  EXPECT_TRUE(said(paper, "pad all borders with zeros, as in the released"));
}

}  // namespace fluid_experiments_test
}  // namespace gcan::experiments
