// The main function of every test program. In CI (environment variable CI) a skipped test fails, because
// nobody would notice it there.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include "tests/runner/source_dir.h"

namespace gcan::test {

std::string source_dir() { return GCAN_SOURCE_DIR; }

std::string reference_file(const std::string& name) {
  if (const char* folder = std::getenv("GCAN_REFERENCE_DIR")) return std::string(folder) + "/" + name;
  const std::string slice = source_dir() + "/tests/data/reference/" + name;
  return std::filesystem::exists(slice) ? slice : source_dir() + "/../shared/reference/" + name;
}

namespace {

struct MaySkip {
  const char* test;
  const char* reason;
};
constexpr std::array kMaySkip = {
    MaySkip{"Simulate.GoesOnAfterBeingKilled", "a quick machine may finish before the signal arrives"},
    MaySkip{"Hardening.AFullDiskLeavesNoHalfFiles",
            "not every machine allows mounts; the roots of tools/fresh-machine do"},
    MaySkip{"Hardening.NoInodesIsNotAMissingGnuplot", "likewise"},
    MaySkip{"Network.ACutLinkEndsAllInTimeAndTheRunGoesOnBitForBit",
            "not every machine allows network namespaces"},
    MaySkip{"ByMpi.LossesAreThoseOfGloo", "Debian 12's LibTorch has no MPI"},
    MaySkip{"ByMpi.AKilledRankEndsTheRunWhichGoesOnBitForBit", "likewise"},
    MaySkip{"ByMpi.AStoppedRankIsNamedAndTheRunGoesOnBitForBit", "likewise"},
    MaySkip{"ByMpi.GlooResumesItWithANote", "likewise"},
    MaySkip{"StartUp.TakesNoTorchAndNoTime", "programs with a sanitizer start slowly; others never skip it"},
};

bool may_skip(const std::string& test) {
  for (const MaySkip& entry : kMaySkip) {
    if (test == entry.test) return true;
  }
  return false;
}

class FailsOnSkips : public testing::EmptyTestEventListener {
 public:
  bool failed() const { return failed_; }

 private:
  void OnTestEnd(const testing::TestInfo& info) override {
    const std::string test = std::string(info.test_suite_name()) + "." + info.name();
    if (!info.result()->Skipped() || may_skip(test)) return;
    std::cout << "[  FAILED  ] " << test
              << " was skipped; CI counts that as a failure (tests/runner/main.cpp)\n";
    failed_ = true;
  }

  bool failed_ = false;
};

}  // namespace
}  // namespace gcan::test

#if defined(__SANITIZE_THREAD__)
// By default the thread sanitizer ends a forked process that starts threads (Team.WorksInAForkedProcess).
extern "C" const char* __tsan_default_options() {  // NOLINT(bugprone-reserved-identifier): the interface
  return "die_after_fork=0";
}
#endif

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (std::getenv("CI") == nullptr) return RUN_ALL_TESTS();
  auto* listener = new gcan::test::FailsOnSkips;  // GoogleTest deletes it.
  testing::UnitTest::GetInstance()->listeners().Append(listener);
  const int status = RUN_ALL_TESTS();
  return status != 0 || listener->failed() ? 1 : 0;
}
