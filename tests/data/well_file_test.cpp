#include "gcan/data/well_file.h"

#include <cmath>

#include "tests/data/scratch.h"

namespace gcan::data {
namespace well_file_test {

using test::expect_error_with;

Description tiny() {
  Description d;
  d.dataset = "tiny";
  d.grid_type = "cartesian";
  d.space = {Axis{"x", "m", {0.5, 1.5, 2.5}, "WALL"}, Axis{"y", "m", {0.1, 0.2}, "PERIODIC"}};
  d.area.assign(3, 1.0 / 6);
  d.frame_times = {0, 1.25};
  d.frame_steps = {0, 5};
  d.fields = {{"heat", "K", {}, "at centres"}, {"flow", "m/s", {"fx", "fy"}, "at centres"}};
  d.static_fields = {{"ground", "m", {1, 2, 3, 4, 5, 6}}};
  d.constants = {{"gravity", 9.81, "m/s^2"}};
  d.options = {{"seed", std::int64_t{7}, "1"}, {"step", 0.25, "s"}, {"scheme", "plain", "1"}};
  d.start_names = {"strength"};
  d.failure_names = {"heat", "flow"};
  d.splits = {2, 1, 1};
  return d;
}

Trajectory numbered(const Description& d, int i) {
  Trajectory data = empty_trajectory(d);
  float value = static_cast<float>(100 * i);
  for (auto& field : data.fields)
    for (float& number : field) number = value += 0.5F;
  data.start = {i + 0.25};
  return data;
}

void write_all(const std::string& path, bool compress) {
  const Description d = tiny();
  WellWriter writer(path, d, compress);
  for (const int i : writer.missing()) writer.write(i, numbered(d, i));
  writer.finish();
}

class WellFile : public testing::TestWithParam<bool> {
 protected:
  test::Scratch scratch;
  std::string path = scratch / "data.h5";
};
INSTANTIATE_TEST_SUITE_P(Both, WellFile, testing::Bool(),
                         [](const auto& p) { return p.param ? "Compressed" : "Plain"; });

TEST_P(WellFile, RoundTrips) {
  write_all(path, GetParam());
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
  const WellReader reader(path);
  const Description d = reader.description(), wanted = tiny();
  EXPECT_EQ(d.space[0].values, wanted.space[0].values);
  EXPECT_EQ(d.space[1].boundary, "PERIODIC");
  EXPECT_EQ(d.frame_times, wanted.frame_times);
  EXPECT_EQ(d.frame_steps, wanted.frame_steps);
  EXPECT_EQ(d.fields[1].components, wanted.fields[1].components);
  EXPECT_EQ(d.static_fields[0].values, wanted.static_fields[0].values);
  EXPECT_EQ(d.splits, wanted.splits);
  EXPECT_EQ(std::get<double>(d.constants[0].value), 9.81);
  ASSERT_EQ(d.options.size(), 3U);
  EXPECT_EQ(d.options[2].value, wanted.options[2].value);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(reader.status(i), Status::kComplete);
    EXPECT_EQ(reader.trajectory(i).fields, numbered(d, i).fields);
    EXPECT_EQ(reader.start(i), std::vector<double>{i + 0.25});
  }
  const auto frame = reader.frame(1, 2, 1);
  const auto whole = numbered(d, 2).fields[1];
  EXPECT_TRUE(std::equal(frame.begin(), frame.end(), whole.begin() + 12));
}

TEST_P(WellFile, StatisticsAreThoseOfCompleteTrainingTrajectories) {
  Description d = tiny();
  d.splits = {3, 1, 0};
  WellWriter writer(path, d, GetParam());
  for (const int i : writer.missing()) {
    Trajectory data = numbered(d, i);
    if (i == 1) data.failed_step = 3, data.failed_field = "flow";
    writer.write(i, data);
  }
  writer.finish();
  std::vector<float> both = numbered(d, 0).fields[0];
  const auto second = numbered(d, 2).fields[0];
  both.insert(both.end(), second.begin(), second.end());
  const Moments expected = field_moments(both, both.size(), 1)[0].values;
  const WellReader reader(path);
  const auto statistics = reader.statistics(0);
  ASSERT_TRUE(statistics);
  EXPECT_NEAR(statistics->components[0].values.mean, expected.mean, 1e-12);
  EXPECT_NEAR(statistics->components[0].values.std(), expected.std(), 1e-12);
  const Hdf5File file(path, Hdf5File::Mode::kRead);
  EXPECT_NEAR(file.read<double>("statistics/heat")[1], expected.std(), 1e-12);
  EXPECT_EQ(reader.failure(1), "trajectory 1 became unstable at step 3 in the field flow");
  EXPECT_EQ(reader.failure(0), "");
}

// Two runs, the first stopped after any number of trajectories, write the same bytes as one run.
TEST_P(WellFile, AnInterruptedRunResumes) {
  const Description d = tiny();
  write_all(scratch / "whole.h5", GetParam());
  for (int stop = 0; stop <= 4; ++stop) {
    std::filesystem::remove(path);
    {
      WellWriter writer(path, d, GetParam());
      for (int i = 3; i > 3 - stop; --i) writer.write(i, numbered(d, i));
    }
    EXPECT_FALSE(std::filesystem::exists(path));
    WellWriter again(path, d, GetParam());
    EXPECT_EQ(again.missing().size(), static_cast<std::size_t>(4 - stop));
    for (const int i : again.missing()) again.write(i, numbered(d, i));
    again.finish();
    const WellReader whole(scratch / "whole.h5"), joined(path);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(joined.trajectory(i).fields, whole.trajectory(i).fields);
  }
}

TEST(WellFileErrors, ADamagedByteNamesTheTrajectory) {
  const test::Scratch scratch;
  const std::string path = scratch / "data.h5";
  write_all(path, false);
  {
    Hdf5File file(path, Hdf5File::Mode::kChange);
    file.write_part<float>("t0_fields/heat", {2, 1, 1, 1}, {1, 1, 1, 1}, std::vector<float>{-1});
  }
  const WellReader reader(path);
  EXPECT_NO_THROW((void)reader.trajectory(1));
  expect_error_with([&] { (void)reader.trajectory(2); },
                    {"data.h5", "t0_fields/heat", "trajectory 2", "damaged"});
}

TEST(WellFileErrors, DamageInAnUnfinishedFileIsRewritten) {
  const test::Scratch scratch;
  const std::string path = scratch / "data.h5";
  const Description d = tiny();
  {
    WellWriter writer(path, d, false);
    for (const int i : {0, 1}) writer.write(i, numbered(d, i));
  }
  {
    Hdf5File file(path + ".partial", Hdf5File::Mode::kChange);
    file.write_part<float>("t1_fields/flow", {1, 0, 0, 0, 0}, {1, 1, 1, 1, 1}, std::vector<float>{-1});
  }
  const WellWriter writer(path, d, false);
  EXPECT_EQ(writer.damaged(), 1);
  EXPECT_EQ(writer.missing(), (std::vector<int>{1, 2, 3}));
}

TEST(WellFileErrors, OtherOptionsAreNamed) {
  const test::Scratch scratch;
  const std::string path = scratch / "data.h5";
  Description d = tiny();
  { const WellWriter writer(path, d, false); }
  d.options[1].value = 0.5;
  expect_error_with([&] { WellWriter(path, d, false); },
                    {"data.h5.partial", "step 0.25 (now 0.5)", "remove it"});
  write_all(path, false);
  EXPECT_TRUE(already_written(path, tiny()));
  expect_error_with([&] { (void)already_written(path, d); }, {"step 0.25 (now 0.5)", "another --out"});
}

TEST(WellFileErrors, ForeignTruncatedAndOutOfRange) {
  const test::Scratch scratch;
  const std::string path = scratch / "data.h5";
  { Hdf5File(scratch / "foreign.h5", Hdf5File::Mode::kCreate).make_group("other"); }
  expect_error_with([&] { WellReader(scratch / "foreign.h5"); }, {"foreign.h5", "The Well's layout"});
  write_all(path, false);
  {
    const WellReader reader(path);
    expect_error_with([&] { (void)reader.trajectory(4); }, {"no trajectory 4", "has 4"});
    expect_error_with([&] { (void)reader.frame(0, 0, 2); }, {"no frame 2"});
    expect_error_with([&] { (void)reader.field_index("cold"); }, {"'cold'", "heat, flow"});
  }
  test::cut_to(path, 0.7);
  expect_error_with([&] { WellReader{path}; }, {"cut short"});
}

TEST(WellFileErrors, UnwritableFolderAndTooLittleRoom) {
  const test::Scratch scratch;
  Description d = tiny();
  expect_error_with([&] { WellWriter(scratch / "no/data.h5", d, false); }, {"no folder"});
  d.splits = {2'000'000'000, 0, 0};
  d.frame_times.assign(10'000, 0);
  expect_error_with([&] { WellWriter(scratch / "data.h5", d, false); }, {"GB", "room"});
  EXPECT_FALSE(std::filesystem::exists(scratch / "data.h5.partial"));
}

TEST(WellDescription, TrajectoryNumbersOfOneSplitDoNotDependOnAnother) {
  Description a = tiny(), b = tiny();
  b.splits = {20, 1, 1};
  EXPECT_EQ(a.number_of(2), b.number_of(20));
  EXPECT_EQ(a.number_of(3), b.number_of(21));
  EXPECT_EQ(b.number_of(5), 5);
  EXPECT_EQ(b.split_of(20), Split::valid);
}

// A foreign file without vector fields: h5py writes the empty list of names as numbers.
TEST(WellFileOfOthers, AnEmptyListOfFieldsMayHoldNumbers) {
  const test::Scratch scratch;
  const std::string path = scratch / "foreign.h5";
  {
    Hdf5File file(path, Hdf5File::Mode::kCreate);
    for (const char* group : {"dimensions", "t0_fields", "t1_fields"}) file.make_group(group);
    file.set("dimensions", "spatial_dims", std::vector<std::string>{"x", "y"});
    const std::vector<double> two{0, 1}, numbers{1, 2, 3, 4, 5, 6, 7, 8};
    for (const char* name : {"time", "x", "y"})
      file.write<double>(std::string("dimensions/") + name, NumberType::kFloat32, {2}, two);
    file.set("t0_fields", "field_names", std::vector<std::string>{"heat"});
    file.write<double>("t0_fields/heat", NumberType::kFloat32, {1, 2, 2, 2}, numbers);
    file.set("t1_fields", "field_names", 0.0);
    file.close();
  }
  const WellReader reader(path);
  ASSERT_EQ(reader.description().fields.size(), 1U);
  EXPECT_EQ(reader.frame(0, 0, 1), (std::vector<float>{5, 6, 7, 8}));
}

// Components without names get the names of their axes, a third one that of the remaining axis.
TEST(WellFileOfOthers, ThreeComponentsHaveThreeNames) {
  const test::Scratch scratch;
  using Names = std::vector<std::string>;
  const auto names = [&](const std::string& first, const std::string& second, std::uint64_t count) {
    const std::string path = scratch / (first + second + std::to_string(count));
    {
      Hdf5File file(path, Hdf5File::Mode::kCreate);
      for (const char* group : {"dimensions", "t0_fields", "t1_fields"}) file.make_group(group);
      file.set("dimensions", "spatial_dims", Names{first, second});
      const std::vector<double> two{0, 1}, numbers(2 * 2 * 2 * count);
      for (const std::string& name : {std::string("time"), first, second})
        file.write<double>("dimensions/" + name, NumberType::kFloat32, {2}, two);
      file.set("t1_fields", "field_names", Names{"v"});
      file.write<double>("t1_fields/v", NumberType::kFloat32, {1, 2, 2, 2, count}, numbers);
      file.close();
    }
    return WellReader(path).description().fields.front().components;
  };
  EXPECT_EQ(names("x", "y", 3), (Names{"v_x", "v_y", "v_z"}));
  EXPECT_EQ(names("x", "z", 3), (Names{"v_x", "v_z", "v_y"}));
  EXPECT_EQ(names("latitude", "longitude", 4), (Names{"v_latitude", "v_longitude", "v_z", "v_4"}));
}

}  // namespace well_file_test
}  // namespace gcan::data
