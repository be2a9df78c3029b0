#pragma once

// The ranks of a group as threads of the test.

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "gcan/distributed/group.h"

namespace gcan::test {

inline base::Launch launch_of_rank(int rank, int size, const std::string& start) {
  base::Launch launch;
  launch.launcher = "test";
  launch.rank = rank;
  launch.size = launch.local_size = size;
  launch.file = (std::filesystem::temp_directory_path() /
                 (".gcan-meeting-test-" + std::to_string(getpid()) + "-" + start))
                    .string();
  return launch;
}

// Runs `work` on each rank and returns the message of its exception, or "", by rank.
inline std::vector<std::string> run_ranks(int size, const std::function<void(distributed::Group&)>& work,
                                          double seconds = 20) {
  static std::atomic<int> count = 0;
  const std::string start = std::to_string(count++);
  std::vector<std::string> sentences(static_cast<std::size_t>(size));
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < size; ++rank) {
    ranks.emplace_back([&, rank] {
      try {
        const auto group = distributed::Group::join(launch_of_rank(rank, size, start), seconds);
        work(*group);
        group->leave();
      } catch (const std::exception& error) {
        sentences[static_cast<std::size_t>(rank)] = error.what();
      }
    });
  }
  for (std::thread& rank : ranks) rank.join();
  return sentences;
}

inline void expect_fine(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) EXPECT_EQ(sentence, "");
}

}  // namespace gcan::test
