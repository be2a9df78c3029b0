#include "gcan/data/generate.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "gcan/data/generation.h"
#include "gcan/sim/shallow_water/simulate.h"
#include "tests/data/scratch.h"

namespace gcan::data {
namespace generate_test {

using test::expect_error_with;
namespace sw = sim::shallow_water;

ShallowWaterSet tiny_water() {
  ShallowWaterSet set{sw::small_preset()};
  sw::set_truncation(set.options, 21);
  set.options.frames = 3;
  set.options.seed = 5;
  return set;
}

SmokeSet tiny_smoke() {
  SmokeSet set{sim::smoke::Options::small()};
  set.options.cells = 16, set.options.length = 4, set.options.steps = 8;
  return set;
}

TEST(Generate, WritesWhatTheSimulatorComputes) {
  const test::Scratch scratch;
  ShallowWaterSet set = tiny_water();
  set.store_vorticity = true;
  int steps = 0;
  Observer observer;
  observer.trajectory = [&](const std::string& failure) { steps += failure.empty() ? 1 : 100; };
  const std::string path = scratch / "sw.h5";
  generate(set, {{2, 1, 0}, path, false, 2}, observer);
  EXPECT_EQ(steps, 3);
  const WellReader reader(path);
  const Trajectory second = reader.trajectory(1);
  sw::simulate(set.options, 1, 1, 1,
               {[&](const sw::Frame& frame) {
                  const std::size_t points = frame.fields.eta.size();
                  for (std::size_t i = 0; i < points; ++i) {
                    const std::size_t at = static_cast<std::size_t>(frame.index) * points + i;
                    ASSERT_EQ(second.fields[0][at], static_cast<float>(frame.fields.eta[i]));
                    ASSERT_EQ(second.fields[1][2 * at], static_cast<float>(frame.fields.u[i]));
                    ASSERT_EQ(second.fields[1][2 * at + 1], static_cast<float>(frame.fields.v[i]));
                    ASSERT_EQ(second.fields[2][at], static_cast<float>(frame.fields.vorticity[i]));
                  }
                },
                [&](const sw::TrajectoryStatus& status) {
                  ASSERT_EQ(status.parameters.size(), second.start.size());
                  for (std::size_t i = 0; i < second.start.size(); ++i)
                    EXPECT_EQ(status.parameters[i], second.start[i]);
                }});
}

// The file contains everything needed to close the mass budget.
TEST(Generate, TheFileClosesItsMassBudget) {
  const test::Scratch scratch;
  const std::string path = scratch / "sw.h5";
  generate(tiny_water(), {{1, 0, 0}, path, false, 1}, {});
  const WellReader reader(path);
  const Description& d = reader.description();
  const std::size_t columns = d.space[1].values.size();
  for (std::size_t frame = 0; frame < d.frames(); ++frame) {
    const auto eta = reader.frame(0, 0, frame);
    double mean = 0;
    for (std::size_t i = 0; i < eta.size(); ++i) mean += d.area[i / columns] * static_cast<double>(eta[i]);
    EXPECT_NEAR(mean, 0, 1e-5);  // float32 of heights of 100 m
  }
  EXPECT_EQ(d.frame_times[2], d.frame_steps[2] * 3290.0);
}

TEST(Generate, DoesNothingTheSecondTime) {
  const test::Scratch scratch;
  const SetOptions options{{2, 0, 0}, scratch / "ns.h5", true, 1};
  EXPECT_FALSE(generate(tiny_smoke(), options, {}).was_there);
  // A writer that was killed after the last trajectory may have left its lock.
  std::ofstream(options.out + ".lock") << "1000000000 here\n";
  EXPECT_TRUE(generate(tiny_smoke(), options, {}).was_there);
  EXPECT_FALSE(std::filesystem::exists(options.out + ".lock"));
}

// Without training data there is no file.
TEST(Generate, AllUnstableIsAnErrorWithoutAFile) {
  const test::Scratch scratch;
  ShallowWaterSet set = tiny_water();
  // Far beyond any stable step, which no check of the options can know.
  set.options.forcing.stirring = 1e-3;
  set.options.frames = 40;
  const SetOptions options{{1, 1, 0}, scratch / "sw.h5", false, 1};
  expect_error_with([&] { generate(set, options, {}); },
                    {"sw.h5", "all of its 2 trajectories became unstable", "at step", "--time-step"});
  for (const auto& entry : std::filesystem::directory_iterator(scratch / "")) {
    EXPECT_EQ(entry.path().string().find(".h5"), std::string::npos) << entry.path();
  }
}

TEST(Generate, ListsFailedTrajectoriesAndSplitsWithNoOthers) {
  const test::Scratch scratch;
  const ShallowWaterSet set = tiny_water();
  const SetOptions options{{2, 1, 0}, scratch / "sw.h5", false, 1};
  const Description d = describe(set, options.splits);
  const Outcome outcome = run_generation(d, options, {}, [&](const Range& range, const TrajectoryDone& done) {
    for (int i = range.first; i < range.first + range.count; ++i) {
      Trajectory data = empty_trajectory(d);
      if (i > 0) data.failed_step = 3, data.failed_field = d.failure_names.front();
      done(i, data, i > 0 ? "unstable" : "");
    }
  });
  ASSERT_EQ(outcome.failures.size(), 2U);
  EXPECT_NE(outcome.failures[1].find("trajectory 2 became unstable at step 3"), std::string::npos);
  EXPECT_EQ(outcome.useless, std::vector<Split>{Split::valid});
}

TEST(Generate, RangesFollowNumbers) {
  Description d;
  d.splits = {4, 2, 0};
  std::vector<std::pair<int, int>> ranges;
  for (const Range& range : ranges_of({0, 1, 3, 4, 5}, d)) ranges.emplace_back(range.first, range.count);
  EXPECT_EQ(ranges, (std::vector<std::pair<int, int>>{{0, 2}, {3, 1}, {4, 2}}));
}

// Another run uses the orography of a file, and its own file contains it.
TEST(Generate, TakesTheOrographyFromAFile) {
  const test::Scratch scratch;
  ShallowWaterSet set = tiny_water();
  std::vector<double> heights(static_cast<std::size_t>(set.options.latitudes * set.options.longitudes));
  for (std::size_t i = 0; i < heights.size(); ++i) heights[i] = static_cast<double>(i % 7) * 100;
  {
    Hdf5File file(scratch / "ground.h5", Hdf5File::Mode::kCreate);
    file.write<double>("orography", NumberType::kFloat64, {heights.size()}, heights);
  }
  for (const auto& setting : shallow_water_settings())
    if (setting.name == "orography") setting.set(set, Value(scratch / "ground.h5"));
  generate(set, {{1, 0, 0}, scratch / "sw.h5", false, 1}, {});
  EXPECT_EQ(WellReader(scratch / "sw.h5").description().static_fields[0].values, heights);
  set.options.orography_height[5] += 1;
  expect_error_with(
      [&] {
        generate(set, {{1, 0, 0}, scratch / "sw.h5", false, 1}, {});
      },
      {"orography given"});
}

// Every setting accepts its printed value, and its errors name it.
template <class Set>
void check_settings(const std::vector<config::Setting<Set>>& table, Set set) {
  std::set<std::string> names;
  for (const auto& setting : table) {
    EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
    const Value shown = setting.get(set);
    setting.set(set, config::parse(setting, to_string(shown), setting.name));
    EXPECT_EQ(setting.get(set), shown) << setting.name;
    EXPECT_EQ(config::checked(setting, shown, setting.name), shown) << setting.name;
    EXPECT_THROW(setting.set(set, config::parse(setting, "nonsense/", setting.name)), Error) << setting.name;
  }
}

TEST(Generate, SettingsRoundTrip) {
  check_settings(shallow_water_settings(), tiny_water());
  check_settings(smoke_settings(), tiny_smoke());
}

TEST(Generate, BadOptionsAreErrorsBeforeAnythingRuns) {
  const test::Scratch scratch;
  SmokeSet set = tiny_smoke();
  set.options.cells = 33;
  expect_error_with([&] { generate(set, {{1, 0, 0}, scratch / "ns.h5", false, 1}, {}); }, {"cells is 33"});
  EXPECT_FALSE(std::filesystem::exists(scratch / "ns.h5.partial"));
}

}  // namespace generate_test
}  // namespace gcan::data
