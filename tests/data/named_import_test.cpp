#include "gcan/data/named_import.h"

#include <cmath>

#include "gcan/data/well_file.h"
#include "tests/data/scratch.h"

namespace gcan::data {
namespace named_import_test {

using test::expect_error_with;
using Names = std::vector<std::string>;

// The values of a variable, each of which encodes its position.
double value(int what, std::uint64_t run, std::uint64_t time, std::uint64_t y, std::uint64_t x) {
  return what * 10000 + static_cast<double>(run) * 1000 + static_cast<double>(time) * 100 +
         static_cast<double>(y) * 10 + static_cast<double>(x);
}

struct Grid {
  std::uint64_t runs = 3, times = 6, ny = 4, nx = 5;
};

std::vector<double> line(std::uint64_t count, double first, double step) {
  std::vector<double> values;
  for (std::uint64_t i = 0; i < count; ++i) values.push_back(first + step * static_cast<double>(i));
  return values;
}

// A NetCDF-4 file of another program: (member, time, lat, lon), named axes.
class Foreign {
 public:
  Foreign(const std::string& path, const Grid& grid, bool degrees = true)
      : file(path, Hdf5File::Mode::kCreate), grid_(grid) {
    const auto coordinate = [&](const char* name, const std::vector<double>& values, const char* unit) {
      file.write<double>(name, NumberType::kFloat64, {values.size()}, values);
      file.make_scale(name, name);
      file.set(name, "units", unit);
    };
    coordinate("member", line(grid.runs, 0, 1), "1");
    coordinate("t", line(grid.times, 12, 6), "hours since 2000-01-01");
    coordinate("lat", line(grid.ny, -45, 30), degrees ? "degrees_north" : "km");
    coordinate("lon", line(grid.nx, 0, 72), degrees ? "degrees_east" : "km");
  }

  void variable(const std::string& name, int what, const char* unit,
                const Names& axes = {"member", "t", "lat", "lon"}) {
    Shape shape;
    for (const std::string& axis : axes) shape.push_back(file.shape(axis)[0]);
    std::vector<double> numbers(points(shape));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      std::size_t rest = i;
      std::uint64_t member = 0, time = 0, y = 0, x = 0;
      for (std::size_t a = axes.size(); a-- > 0; rest /= shape[a]) {
        const std::uint64_t at = rest % shape[a];
        (axes[a] == "member" ? member : axes[a] == "t" ? time : axes[a] == "lat" ? y : x) = at;
      }
      numbers[i] = value(what, member, time, y, x);
    }
    file.write<double>(name, NumberType::kFloat32, shape, numbers);
    for (unsigned a = 0; a < axes.size(); ++a) file.attach_scale(name, a, axes[a]);
    file.set(name, "units", unit);
  }

  Hdf5File file;

 private:
  Grid grid_;
};

NamedImport request_for(const test::Scratch& scratch, const Names& files) {
  return {.files = files,
          .fields = {scalar_named("pressure=p"), vector_named("u,v")},
          .time = "t",
          .x = "lon",
          .y = "lat",
          .out = scratch / "out.h5"};
}

std::string weather(const test::Scratch& scratch, const std::string& name = "era.nc", bool degrees = true,
                    const Names& axes = {"member", "t", "lat", "lon"}) {
  Foreign foreign(scratch / name, {}, degrees);
  foreign.variable("p", 1, "Pa", axes);
  foreign.variable("u", 2, "m/s", axes);
  foreign.variable("v", 3, "m/s", axes);
  foreign.file.close();
  return scratch / name;
}

TEST(NamedImport, ASphereHasRowsOfLatitude) {
  const test::Scratch scratch;
  // For any order of the axes.
  for (const Names& axes : {Names{"member", "t", "lat", "lon"}, {"t", "lon", "lat", "member"}}) {
    NamedImport request = request_for(scratch, {weather(scratch, "era.nc", true, axes)});
    request.held_out = {1, 1};
    std::filesystem::remove(request.out);
    int told = 0;
    import_named(request, [&](int total, int) { told += total == 3 ? 1 : 100; });
    EXPECT_EQ(told, 3);
    const WellReader reader(request.out);
    const Description& d = reader.description();
    EXPECT_EQ(d.grid_type, "spherical");
    EXPECT_EQ(d.space[0].name, "latitude");
    EXPECT_EQ(d.space[0].values, line(4, -45, 30));
    EXPECT_EQ(d.frame_times, line(6, 0, 6 * 3600));
    EXPECT_EQ(d.splits, (std::array<int, 3>{1, 1, 1}));
    EXPECT_EQ(d.fields[0].name, "pressure");
    EXPECT_EQ(d.fields[0].unit, "Pa");
    EXPECT_EQ(d.fields[1].name, "velocity");
    EXPECT_EQ(d.fields[1].components, (Names{"u", "v"}));
    const auto p = reader.frame(0, 2, 5), wind = reader.frame(1, 1, 3);
    for (std::size_t y = 0; y < 4; ++y) {
      for (std::size_t x = 0; x < 5; ++x) {
        EXPECT_EQ(p[y * 5 + x], value(1, 2, 5, y, x));
        EXPECT_EQ(wind[2 * (y * 5 + x) + 1], value(3, 1, 3, y, x));
      }
    }
  }
}

TEST(NamedImport, ABoxHasItsAxesInTheOrderOfTheComponents) {
  const test::Scratch scratch;
  import_named(request_for(scratch, {weather(scratch, "box.nc", false)}));
  const WellReader reader(scratch / "out.h5");
  EXPECT_EQ(reader.description().grid_type, "cartesian");
  EXPECT_EQ(reader.description().space[0].name, "x");
  EXPECT_EQ(reader.description().space[0].unit, "km");
  EXPECT_EQ(reader.description().space[0].values.size(), 5U);
  const auto u = reader.frame(1, 0, 1);
  EXPECT_EQ(u[2 * (3 * 4 + 2)], value(2, 0, 1, 2, 3));  // x 3, y 2
}

TEST(NamedImport, CutsSeveralFilesIntoPieces) {
  const test::Scratch scratch;
  NamedImport request = request_for(scratch, {weather(scratch, "a.nc"), weather(scratch, "b_test.nc")});
  request.cut = 3;
  import_named(request);
  const WellReader reader(scratch / "out.h5");
  EXPECT_EQ(reader.description().splits, (std::array<int, 3>{6, 0, 6}));
  EXPECT_EQ(reader.description().frames(), 3U);
  EXPECT_EQ(reader.frame(0, 3, 2)[0], value(1, 1, 5, 0, 0));  // the second piece of the second run
}

// The second frame of gcan's shallow water is early, and times are compared to a thousandth of an interval,
// because they may be in single precision.
TEST(NamedImport, SkipsFramesAtTheStart) {
  const test::Scratch scratch;
  NamedImport request = request_for(scratch, {weather(scratch)});
  {
    Hdf5File file(scratch / "era.nc", Hdf5File::Mode::kChange);
    file.write_part<double>("t", {0}, {6}, std::vector<double>{10, 12, 18, 24.002, 30, 36});
  }
  request.skip = 1;
  request.cut = 2;
  import_named(request);
  const WellReader reader(scratch / "out.h5");
  EXPECT_EQ(reader.description().trajectories(), 6);
  EXPECT_EQ(reader.description().frame_times, line(2, 0, 6 * 3600));
  EXPECT_EQ(reader.frame(0, 0, 0)[0], value(1, 0, 1, 0, 0));  // the former second frame
  EXPECT_EQ(reader.frame(0, 3, 1)[0], value(1, 1, 4, 0, 0));  // the second piece of the second run
}

TEST(NamedImport, UnpacksAndFindsAxesByLength) {
  const test::Scratch scratch;
  {
    Hdf5File file(scratch / "plain.h5", Hdf5File::Mode::kCreate);
    file.write<double>("t", NumberType::kFloat64, {3}, line(3, 0, 1));
    file.write<double>("x", NumberType::kFloat64, {5}, line(5, 0, 0.5));
    file.write<double>("y", NumberType::kFloat64, {4}, line(4, 0, 0.5));
    std::vector<std::int32_t> packed;
    for (int i = 0; i < 2 * 3 * 1 * 4 * 5; ++i) packed.push_back(i);
    file.write<std::int32_t>("p", NumberType::kInt32, {2, 3, 1, 4, 5}, packed);
    file.set("p", "scale_factor", 0.5);
    file.set("p", "add_offset", 100.0);
    file.close();
  }
  NamedImport request = request_for(scratch, {scratch / "plain.h5"});
  request.fields = {scalar_named("p")};
  request.x = "x", request.y = "y";
  import_named(request);
  const WellReader reader(scratch / "out.h5");
  EXPECT_EQ(reader.description().trajectories(), 2);
  EXPECT_EQ(reader.frame(0, 1, 2)[3 * 4 + 1], 100 + 0.5F * (60 + 2 * 20 + 1 * 5 + 3));  // x 3, y 1
}

TEST(NamedImport, MismatchesAreReportedWithTheFilesVariables) {
  const test::Scratch scratch;
  const auto fails = [&](const auto& change, std::initializer_list<std::string> parts) {
    std::filesystem::remove(scratch / "bad.nc");
    NamedImport request = request_for(scratch, {weather(scratch, "bad.nc")});
    change(request);
    expect_error_with([&] { import_named(request); }, parts);
    EXPECT_FALSE(std::filesystem::exists(scratch / "out.h5"));
    std::filesystem::remove(scratch / "out.h5.partial");
  };
  const auto changed = [&](const std::string& name, const std::vector<double>& values) {
    Hdf5File file(scratch / "bad.nc", Hdf5File::Mode::kChange);
    file.write_part<double>(name, Shape(file.shape(name).size(), 0), file.shape(name), values);
    file.close();
  };
  fails([](NamedImport& r) { r.fields.push_back(scalar_named("q")); },
        {"bad.nc", "'q'", "p (member 3, t 6, lat 4, lon 5)"});
  fails([](NamedImport& r) { r.x = "longitude"; }, {"no variable 'longitude' for --x", "lon (5)"});
  fails([](NamedImport& r) { r.time = "p"; }, {"'p' is 3 x 6 x 4 x 5", "one-dimensional"});
  fails([](NamedImport& r) { r.cut = 7; }, {"--cut", "7 frames", "6"});
  fails([](NamedImport& r) { r.held_out = {2, 1}; }, {"--valid and --test ask for 3", "there are 3"});
  fails(
      [&](NamedImport&) {
        changed("lon", {0, 72, 144, 230, 288});
      },
      {"'lon' is not evenly spaced", "from 144 to 230"});
  fails(
      [&](NamedImport&) {
        changed("t", {12, 18, 24, 30, 36, 99});
      },
      {"'t' is not evenly spaced: it goes from 36 to 99, but the usual step is 6", "even times"});
  // Off by a little more than a thousandth of an interval.
  fails([&](NamedImport&) { changed("t", {12, 18, 24.01, 30.01, 36.01, 42.01}); }, {"from 18 to 24.01"});
  fails(
      [&](NamedImport&) {
        changed("t", {14, 18, 24, 30, 36, 42});
      },
      {"the first two frames are 4 apart in 't', but the others 6", "--skip 1"});
  fails(
      [&](NamedImport& r) {
        r.skip = 1;
        changed("t", {12, 18, 22, 28, 34, 40});
      },
      {"4 apart", "--skip 2"});
  fails([&](NamedImport&) { changed("t", {12, 18, 24, std::nan(""), 36, 42}); }, {"not finite"});
  fails([](NamedImport& r) { r.skip = 6; }, {"--skip", "6 frames", "there are 6"});
  fails(
      [&](NamedImport&) {
        Hdf5File(scratch / "bad.nc", Hdf5File::Mode::kChange).set("t", "units", "months since 2000");
      },
      {"'months since 2000'", "hours or days"});
  fails(
      [&](NamedImport&) {
        Hdf5File(scratch / "bad.nc", Hdf5File::Mode::kChange).set("p", "_FillValue", value(1, 1, 2, 0, 0));
      },
      {"'p' has a missing value at frame 2 of trajectory 1"});
  expect_error_with([] { vector_named("u"); }, {"--vector expects two", "'u'"});
  expect_error_with([] { scalar_named("a,b"); }, {"--scalar expects one", "'a,b'"});
}

}  // namespace named_import_test
}  // namespace gcan::data
