#include "gcan/data/exchange.h"

#include "gcan/data/generate.h"
#include "tests/data/scratch.h"

namespace gcan::data {
namespace exchange_test {

using test::expect_error_with;

std::string make_water(const test::Scratch& scratch) {
  ShallowWaterSet set{sim::shallow_water::small_preset()};
  sim::shallow_water::set_truncation(set.options, 21);
  set.options.frames = 3;
  generate(set, {{2, 1, 0}, scratch / "sw.h5", false, 1}, {});
  return scratch / "sw.h5";
}

std::string make_smoke(const test::Scratch& scratch) {
  SmokeSet set{sim::smoke::Options::small()};
  set.options.cells = 16, set.options.length = 4, set.options.steps = 8;
  generate(set, {{2, 0, 1}, scratch / "ns.h5", false, 1}, {});
  return scratch / "ns.h5";
}

class Exchange : public testing::TestWithParam<Format> {
 protected:
  // Export and import: the same numbers, grid and times.
  void expect_round_trip(const std::string& path, const std::string& other) {
    const WellReader before(path);
    const auto files = export_file(before, GetParam(), other);
    import_files(files, scratch / "again.h5", false);
    const WellReader after(scratch / "again.h5");
    ASSERT_EQ(after.description().trajectories(), before.description().trajectories());
    EXPECT_EQ(after.description().dataset, before.description().dataset);
    EXPECT_EQ(after.description().frame_times, before.description().frame_times);
    for (std::size_t a = 0; a < 2; ++a)
      EXPECT_EQ(after.description().space[a].values, before.description().space[a].values);
    for (int i = 0; i < before.description().trajectories(); ++i)
      EXPECT_EQ(after.trajectory(i).fields, before.trajectory(i).fields) << i;
    EXPECT_EQ(after.description().splits, before.description().splits);
  }
  test::Scratch scratch;
};
INSTANTIATE_TEST_SUITE_P(Formats, Exchange, testing::Values(Format::kPdearena, Format::kNetcdf),
                         [](const auto& p) { return p.param == Format::kPdearena ? "Pdearena" : "Netcdf"; });

TEST_P(Exchange, ShallowWaterRoundTrips) { expect_round_trip(make_water(scratch), scratch / "other.nc"); }
TEST_P(Exchange, SmokeRoundTrips) { expect_round_trip(make_smoke(scratch), scratch / "other.h5"); }

TEST(ExchangeNames, PdearenaHasItsKeys) {
  const test::Scratch scratch;
  const auto files = export_file(WellReader(make_smoke(scratch)), Format::kPdearena, scratch / "arena.h5");
  ASSERT_EQ(files, (std::vector<std::string>{scratch / "arena_train.h5", scratch / "arena_test.h5"}));
  const Hdf5File file(files[0], Hdf5File::Mode::kRead);
  for (const char* key : {"u", "vx", "vy", "t", "x", "y", "dt", "dx", "dy", "buo_y"})
    EXPECT_TRUE(file.has(std::string("train/") + key)) << key;
  EXPECT_EQ(file.read<double>("train/buo_y")[0], 0.5);
  EXPECT_EQ(file.read<double>("train/dt")[0], 6);
}

// Whole words of the name count, and the file's variable has precedence over its name.
TEST(ExchangeSplits, ComeFromTheFileOrAWordOfItsName) {
  const test::Scratch scratch;
  const auto smoke = export_file(WellReader(make_smoke(scratch)), Format::kPdearena, scratch / "arena.h5");
  const auto imported = [&](const std::string& from, const std::string& name) {
    std::filesystem::copy_file(from, scratch / name, std::filesystem::copy_options::overwrite_existing);
    std::filesystem::remove(scratch / "in.h5");
    import_files({scratch / name}, scratch / "in.h5", false);
    return WellReader(scratch / "in.h5").description().splits;
  };
  using Splits = std::array<int, 3>;
  const auto water = export_file(WellReader(make_water(scratch)), Format::kNetcdf, scratch / "a.nc");
  EXPECT_EQ(imported(water[0], "a_test.nc"), (Splits{2, 1, 0}));
  {
    Hdf5File file(water[0], Hdf5File::Mode::kChange);
    const std::vector<std::uint8_t> wrong{0, 7, 1};
    file.write_part<std::uint8_t>("split", {0}, {3}, wrong);
    file.close();
  }
  expect_error_with([&] { imported(water[0], "b.nc"); }, {"b.nc", "'split'", "above 2"});
  // One without the variable.
  const auto bare = [&](const std::string& name) {
    const WellReader reader(make_water(scratch));
    Hdf5File file(scratch / name, Hdf5File::Mode::kCreate);
    const Trajectory t = reader.trajectory(0);
    const Shape shape{1, 3, 32, 64};
    std::vector<float> u;
    for (std::size_t i = 0; i < t.fields[1].size(); i += 2) u.push_back(t.fields[1][i]);
    for (const char* variable : {"pres", "u", "v"})
      file.write<float>(variable, NumberType::kFloat32, shape, u);
    file.close();
    std::filesystem::remove(scratch / "in.h5");
    import_files({scratch / name}, scratch / "in.h5", false);
    return WellReader(scratch / "in.h5").description().splits;
  };
  EXPECT_EQ(bare("latest.nc"), (Splits{1, 0, 0}));
  EXPECT_EQ(bare("run_test_2.nc"), (Splits{0, 0, 1}));
  EXPECT_EQ(bare("valid.nc"), (Splits{0, 1, 0}));
  EXPECT_EQ(bare("invalidated.nc"), (Splits{1, 0, 0}));
}

TEST(ExchangeErrors, ForeignFilesAndFormats) {
  const test::Scratch scratch;
  expect_error_with([] { parse_format("csv"); }, {"'csv'", "pdearena", "netcdf"});
  { Hdf5File(scratch / "foreign.h5", Hdf5File::Mode::kCreate).make_group("other"); }
  expect_error_with([&] { import_files({scratch / "foreign.h5"}, scratch / "out.h5", false); },
                    {"foreign.h5", "neither"});
  const auto water = export_file(WellReader(make_water(scratch)), Format::kNetcdf, scratch / "a.nc");
  const auto smoke = export_file(WellReader(make_smoke(scratch)), Format::kNetcdf, scratch / "b.nc");
  expect_error_with(
      [&] {
        import_files({water[0], smoke[0]}, scratch / "out.h5", false);
      },
      {"b.nc", "navier-stokes", "shallow-water"});
  EXPECT_FALSE(std::filesystem::exists(scratch / "out.h5"));
}

}  // namespace exchange_test
}  // namespace gcan::data
