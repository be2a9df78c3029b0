#include "gcan/base/memory.h"

#include <gtest/gtest.h>

#include <fstream>
#include <new>
#include <vector>

namespace gcan::base {
namespace memory_test {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

class FreeMemory : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(root_);
    write(root_ / "proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:    8000 kB\n");
  }
  void TearDown() override { fs::remove_all(root_); }
  fs::path root_ = fs::temp_directory_path() / ("gcan-memory-" + std::to_string(getpid()));
};

TEST_F(FreeMemory, IsWhatTheMachineHasAvailable) {
  EXPECT_EQ(free_memory(root_), 8000 * 1024.0);
  EXPECT_GT(free_memory(), 1e6);
}

TEST_F(FreeMemory, IsLessInAGroupWithALimit) {
  write(root_ / "proc/self/cgroup", "0::/user/job\n");
  write(root_ / "sys/fs/cgroup/user/job/memory.max", "max\n");
  write(root_ / "sys/fs/cgroup/user/job/memory.current", "100000\n");
  EXPECT_EQ(free_memory(root_), 8000 * 1024.0);
  // The parent group has a limit, and its page cache can be reclaimed.
  write(root_ / "sys/fs/cgroup/user/memory.max", "5000000\n");
  write(root_ / "sys/fs/cgroup/user/memory.current", "2000000\n");
  write(root_ / "sys/fs/cgroup/user/memory.stat", "anon 12\ninactive_file 500000\n");
  EXPECT_EQ(free_memory(root_), 3500000);
}

TEST_F(FreeMemory, OfTheOlderGroupsToo) {
  write(root_ / "proc/self/cgroup", "4:cpu:/a\n7:memory:/job\n");
  write(root_ / "sys/fs/cgroup/memory/job/memory.limit_in_bytes", "3000000\n");
  write(root_ / "sys/fs/cgroup/memory/job/memory.usage_in_bytes", "1000000\n");
  EXPECT_EQ(free_memory(root_), 2000000);
}

TEST(MemoryLimit, LimitsAllocationsDuringItsLifetime) {
  const auto take = [] { std::vector<char>(std::size_t{600} << 20U, 'x').front() = 'y'; };
  {
    const MemoryLimit limit(100e6);
    EXPECT_THROW(take(), std::bad_alloc);
    EXPECT_LE(free_memory(), 100e6);
  }
  take();
}

TEST(PeakGrowth, IncludesFreedMemory) {
  const double grown = peak_growth_here([] { std::vector<char>(std::size_t{64} << 20U, 'x').back() = 'y'; });
  EXPECT_GT(grown, 60e6);
  EXPECT_LT(grown, 90e6);
}

}  // namespace memory_test
}  // namespace gcan::base
