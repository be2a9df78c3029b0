#include "gcan/base/cpu.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace gcan::base {
namespace cpu_test {

namespace fs = std::filesystem;

// A folder with made-up proc/ and sys/ files, gone after the test.
class FakeRoot : public ::testing::Test {
 public:
  FakeRoot()
      : root_(fs::temp_directory_path() / ("gcan-cpu-test-" + std::to_string(getpid()) + "-" +
                                           ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
  }
  ~FakeRoot() override { fs::remove_all(root_); }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

 protected:
  void write(const fs::path& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  fs::path root_;
};

TEST(Cores, AreAtLeastOneAndAtMostTheMachines) {
  const Cores found = cores();
  EXPECT_GE(found.affinity, 1);
  EXPECT_LE(found.affinity, found.online);
  EXPECT_GE(found.usable(), 1);
  EXPECT_LE(found.usable(), found.affinity);
}

TEST(Cores, FollowTheAffinityMask) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (std::size_t cpu = 0; CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(cores().affinity, 1);
  EXPECT_EQ(cores().usable(), 1);
  sched_setaffinity(0, sizeof before, &before);
}

TEST(Cores, CountAStartedPartOfACore) {
  EXPECT_EQ((Cores{8, 8, {}}).usable(), 8);
  EXPECT_EQ((Cores{8, 4, {}}).usable(), 4);
  EXPECT_EQ((Cores{8, 8, 1.5}).usable(), 2);
  EXPECT_EQ((Cores{8, 8, 0.1}).usable(), 1);
  EXPECT_EQ((Cores{8, 2, 6.0}).usable(), 2);
}

TEST_F(FakeRoot, NoCgroupsMeansNoQuota) { EXPECT_EQ(cgroup_quota(root_), std::nullopt); }

TEST_F(FakeRoot, Version2TakesTheSmallestQuotaOnTheWayUp) {
  write("proc/self/cgroup", "0::/user/job\n");
  write("proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  write("sys/fs/cgroup/user/cpu.max", "150000 100000\n");
  write("sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
  EXPECT_EQ(cgroup_quota(root_), 1.5);
  write("sys/fs/cgroup/user/job/cpu.max", "50000 100000\n");
  EXPECT_EQ(cgroup_quota(root_), 0.5);
}

TEST_F(FakeRoot, Version1InAContainerSeesOnlyItsOwnPart) {
  write("proc/self/cgroup", "5:memory:/docker/ab\n3:cpu,cpuacct:/docker/ab\n");
  write("proc/self/mountinfo",
        "40 31 0:30 /docker/ab /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
        "41 31 0:31 /docker/ab /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(cgroup_quota(root_), std::nullopt);
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "400000\n");
  EXPECT_EQ(cgroup_quota(root_), 4.0);
}

TEST_F(FakeRoot, GarbageMeansNoQuota) {
  write("proc/self/cgroup", "\n0\n0:\n:::::\n0::/job\n");
  write("proc/self/mountinfo", "- - -\n\n31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  write("sys/fs/cgroup/job/cpu.max", "many few\n");
  EXPECT_EQ(cgroup_quota(root_), std::nullopt);
}

}  // namespace cpu_test
}  // namespace gcan::base
