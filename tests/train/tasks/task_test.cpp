#include "gcan/train/tasks/task.h"

#include <gtest/gtest.h>

#include "tests/data/scratch.h"

namespace gcan::train {
namespace task_test {

using test::expect_error_with;

TEST(Task, KindsAreFound) {
  for (const DataKind& kind : data_kinds()) EXPECT_EQ(find_data_kind(kind.name).summary, kind.summary);
  expect_error_with([] { find_data_kind("tetri"); }, {"'tetri'", "'tetris'"});
  expect_error_with([] { find_data_kind("something else"); }, {"gcan list"});
}

}  // namespace task_test
}  // namespace gcan::train
