#include "gcan/data/split.h"

#include <gtest/gtest.h>

#include "tests/data/scratch.h"

namespace gcan::data {
namespace split_test {

TEST(Split, HasAName) {
  for (const Split split : kSplits) EXPECT_EQ(split_named(to_string(split)), split);
  test::expect_error_with([] { split_named("validation"); }, {"'validation'", "valid"});
}

}  // namespace split_test
}  // namespace gcan::data
