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

void expect_same_set(const WellReader& many, const WellReader& one) {
  const Description &d = many.description(), &wanted = one.description();
  ASSERT_EQ(d.splits, wanted.splits);
  ASSERT_EQ(d.options.size(), wanted.options.size());
  for (int i = 0; i < wanted.trajectories(); ++i) {
    EXPECT_EQ(many.trajectory(i).fields, one.trajectory(i).fields) << i;
    EXPECT_EQ(many.frame(1, i, 1), one.frame(1, i, 1)) << i;
    EXPECT_EQ(many.start(i), one.start(i)) << i;
    EXPECT_EQ(many.status(i), one.status(i)) << i;
    EXPECT_EQ(many.failure(i), one.failure(i)) << i;
    EXPECT_EQ(d.number_of(i), wanted.number_of(i)) << i;
  }
  for (std::size_t f = 0; f < 2; ++f) {
    EXPECT_EQ(many.statistics(f)->components[0].values.mean, one.statistics(f)->components[0].values.mean);
    EXPECT_EQ(many.statistics(f)->components[0].values.deviations,
              one.statistics(f)->components[0].values.deviations);
  }
}

TEST(Merge, PartsAreThatOfOneProcess) {
  const test::Scratch scratch;
  const SetOptions whole{{5, 2, 3}, scratch / "one.h5", false, 1};
  generate(tiny_smoke(), whole, {});
  SetOptions cut = whole;
  cut.out = scratch / "many.h5";
  std::vector<std::string> parts = parts_of(tiny_smoke(), cut, 3);
  EXPECT_EQ(parts[2], scratch / "many-2.h5");
  const WellReader one(whole.out);
  // Without merging them, by a pattern and by a list.
  expect_same_set(WellReader(scratch / "many-*.h5"), one);
  expect_same_set(WellReader(parts[2] + "," + parts[0] + "," + parts[1]), one);
  std::swap(parts[0], parts[2]);  // their order does not matter
  merge_files(parts, cut.out, false);
  expect_same_set(WellReader(cut.out), one);
  EXPECT_TRUE(already_written(cut.out, one.description())) << "the same options";
  merge_files(parts, cut.out, false);  // is there already
}

TEST(Merge, APartIsAlsoASet) {
  const test::Scratch scratch;
  const auto parts = parts_of(tiny_smoke(), {{4, 1, 1}, scratch / "a.h5", false, 1}, 2);
  const WellReader part(parts[1]);
  EXPECT_EQ(part.description().splits, (std::array<int, 3>{2, 1, 1}));
  EXPECT_EQ(part.description().number_of(0), 2);
  expect_error_with([&] { std::ignore = part.status(4); }, {parts[1], "there is no trajectory 4"});
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
  expect_error_with([&] { merged({parts[0]}); }, {"have 2 of the 4 trajectories of the split 'train'"});
  expect_error_with([&] { WellReader(scratch / "a-*1.h5"); }, {"a part is missing"});
  expect_error_with([&] { WellReader(scratch / "c-*.h5"); }, {"there is no file '", "c-*.h5'"});
  expect_error_with([&] { merged({parts[0], parts[0], parts[1]}); }, {"a part is repeated"});
  expect_error_with([&] { merged({parts[0], other[1]}); }, {"are not parts of one set: seed 1"});
  EXPECT_FALSE(std::filesystem::exists(scratch / "out.h5"));
}

}  // namespace merge_test
}  // namespace gcan::data
