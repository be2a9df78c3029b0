#include "gcan/base/columns.h"

#include <gtest/gtest.h>

namespace gcan::base {
namespace columns_test {

TEST(Columns, AreAsWideAsTheirWidestCell) {
  EXPECT_EQ(in_columns({{"", "error"}, {"GCA-MLP", "0.26"}, {"MLP", "1.5"}}),
            "         error\n"
            "GCA-MLP   0.26\n"
            "MLP        1.5\n");
}

TEST(Columns, CountCharactersAndNotBytes) {
  EXPECT_EQ(text_width("Größe ±"), 7U);
  EXPECT_EQ(in_columns({{"ä", "1"}, {"bb", "2"}}), "ä   1\nbb  2\n");
}

TEST(Columns, FollowTheStyle) {
  const ColumnStyle style{"rl", "  ", " | "};
  EXPECT_EQ(in_columns({{"e1", "e12", "x"}, {"1", "e1", "y"}}, style),
            "e1 | e12  x\n"
            " 1 | e1   y\n");
}

TEST(Columns, RowsMayBeShorter) { EXPECT_EQ(in_columns({{"a", "bb"}, {"ccc"}}), "a    bb\nccc\n"); }

}  // namespace columns_test
}  // namespace gcan::base
