#include "gcan/data/hdf5_file.h"

#include "tests/data/scratch.h"

namespace gcan::data {
namespace hdf5_file_test {

using test::expect_error_with;
using Mode = Hdf5File::Mode;

TEST(Hdf5File, ReadsWhatWasWritten) {
  const test::Scratch scratch;
  const std::string path = scratch / "a.h5";
  {
    Hdf5File file(path, Mode::kCreate);
    file.make_group("group");
    file.make_dataset("group/numbers", NumberType::kFloat32, {3, 4});
    file.write_part<float>("group/numbers", {1, 1}, {2, 2}, std::vector<float>{1, 2, 3, 4});
    file.make_dataset("packed", NumberType::kFloat32, {2, 100}, {1, 100});
    file.write_part<float>("packed", {1, 0}, {1, 100}, std::vector<float>(100, 5));
    file.set("group", "text", "ä word");
    file.set("group", "list", std::vector<std::string>{"one", "two"});
    file.set("group", "number", 0.1);
    file.set("group", "whole", std::int64_t{1} << 60);
    file.close();
  }
  const Hdf5File file(path, Mode::kRead);
  EXPECT_EQ(file.members("/"), (std::vector<std::string>{"group", "packed"}));
  EXPECT_EQ(file.shape("group/numbers"), (Shape{3, 4}));
  EXPECT_EQ(file.read_part<double>("group/numbers", {2, 1}, {1, 2}), (std::vector<double>{3, 4}));
  EXPECT_EQ(file.read_part<float>("packed", {1, 98}, {1, 2}), (std::vector<float>{5, 5}));
  EXPECT_EQ(file.text("group", "text"), "ä word");
  EXPECT_EQ(file.texts("group", "list"), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(file.number("group", "number"), 0.1);
  EXPECT_EQ(file.whole_number("group", "whole"), std::int64_t{1} << 60);
  EXPECT_TRUE(file.has("group/numbers"));
  EXPECT_FALSE(file.has("nothing/numbers"));
}

TEST(Hdf5File, ReportsInvalidFiles) {
  const test::Scratch scratch;
  expect_error_with([&] { Hdf5File(scratch / "none.h5", Mode::kRead); }, {"none.h5", "no such file"});
  expect_error_with([&] { Hdf5File(scratch / "", Mode::kRead); }, {"folder"});
  expect_error_with([&] { Hdf5File(scratch / "no/where.h5", Mode::kCreate); },
                    {"cannot be created", "No such file"});
  std::ofstream(scratch / "text.h5") << "no HDF5 at all";
  expect_error_with([&] { Hdf5File(scratch / "text.h5", Mode::kRead); }, {"not an HDF5 file"});
  {
    Hdf5File file(scratch / "cut.h5", Mode::kCreate);
    file.write<float>("numbers", NumberType::kFloat32, {10000}, std::vector<float>(10000, 1));
  }
  test::cut_to(scratch / "cut.h5", 0.5);
  expect_error_with([&] { Hdf5File(scratch / "cut.h5", Mode::kRead); }, {"cut short"});
}

TEST(Hdf5File, NamesMissingAndMismatchedObjects) {
  const test::Scratch scratch;
  Hdf5File file(scratch / "a.h5", Mode::kCreate);
  file.write<float>("numbers", NumberType::kFloat32, {4}, std::vector<float>(4, 1));
  expect_error_with([&] { (void)file.read<float>("absent"); }, {"a.h5", "'absent'", "no such dataset"});
  expect_error_with([&] { (void)file.text("numbers", "units"); }, {"'numbers'", "'units'"});
  expect_error_with([&] { (void)file.read_part<float>("numbers", {2}, {3}); }, {"'numbers'", "4"});
  expect_error_with([&] { file.write_part<float>("numbers", {0}, {2}, std::vector<float>(3)); },
                    {"does not fit"});
}

}  // namespace hdf5_file_test
}  // namespace gcan::data
