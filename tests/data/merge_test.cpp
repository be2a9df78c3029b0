#include "gcan/data/merge.h"

#include "gcan/data/generate.h"
#include "tests/data/scratch.h"

namespace gcan::data {
namespace merge_test {

using test::expect_error_with;

SmokeSet tiny_smoke(std::uint64_t seed = 1) {
  SmokeSet set{sim::smoke::Options::small()};
  set.options.cells = 16, set.options.length = 4, set.options.steps = 8, set.options.seed = seed;
  return set;
}

// The parts of so many processes.
std::vector<std::string> parts_of(const SmokeSet& set, const SetOptions& whole, int size) {
  std::vector<std::string> files;
  for (int rank = 0; rank < size; ++rank) {
    const SetOptions part = part_of(whole, rank, size);
    generate(set, part, {});
    files.push_back(part.out);
  }
  return files;
}

TEST(Merge, PartsAreThatOfOneProcess) {
  const test::Scratch scratch;
  const SetOptions whole{{5, 2, 3}, scratch / "one.h5", false, 1};
  generate(tiny_smoke(), whole, {});
  SetOptions cut = whole;
  cut.out = scratch / "many.h5";
  std::vector<std::string> parts = parts_of(tiny_smoke(), cut, 3);
  EXPECT_EQ(parts[2], scratch / "many-2.h5");
  std::swap(parts[0], parts[2]);  // their order does not matter
  merge_files(parts, cut.out, false);
  const WellReader one(whole.out), many(cut.out);
  EXPECT_EQ(many.description().splits, one.description().splits);
  EXPECT_TRUE(already_written(cut.out, one.description())) << "the same options";
  for (int i = 0; i < one.description().trajectories(); ++i) {
    EXPECT_EQ(many.trajectory(i).fields, one.trajectory(i).fields) << i;
    EXPECT_EQ(many.description().number_of(i), one.description().number_of(i)) << i;
  }
  for (std::size_t f = 0; f < 2; ++f) {
    EXPECT_EQ(many.statistics(f)->components[0].values.mean, one.statistics(f)->components[0].values.mean);
    EXPECT_EQ(many.statistics(f)->components[0].values.deviations,
              one.statistics(f)->components[0].values.deviations);
  }
  merge_files(parts, cut.out, false);  // is there already
}

TEST(Merge, SharesCoverTheSetForAnyNumber) {
  const SetOptions whole{{7, 0, 2}, "folder/set.h5", false, 1};
  for (const int size : {1, 2, 3, 12}) {
    std::array<int, 3> next{};
    for (int rank = 0; rank < size; ++rank) {
      const SetOptions part = part_of(whole, rank, size);
      EXPECT_EQ(part.first, next);
      for (std::size_t i = 0; i < 3; ++i) next[i] += part.splits[i];
    }
    EXPECT_EQ(next, whole.splits);
  }
  EXPECT_EQ(part_of(whole, 3, 12).out, "folder/set-03.h5");
}

TEST(Merge, BadPartsAreNamed) {
  const test::Scratch scratch;
  const auto merged = [&](const std::vector<std::string>& files) {
    merge_files(files, scratch / "out.h5", false);
  };
  const auto parts = parts_of(tiny_smoke(), {{4, 1, 1}, scratch / "a.h5", false, 1}, 2);
  const auto other = parts_of(tiny_smoke(2), {{4, 1, 1}, scratch / "b.h5", false, 1}, 2);
  expect_error_with([&] { merged({parts[1]}); }, {"a part is missing"});
  expect_error_with([&] { merged({parts[0], parts[0], parts[1]}); }, {"a part is repeated"});
  expect_error_with([&] { merged({parts[0], other[1]}); }, {"are not parts of one set: seed 1"});
  EXPECT_FALSE(std::filesystem::exists(scratch / "out.h5"));
}

}  // namespace merge_test
}  // namespace gcan::data
