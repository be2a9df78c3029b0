#include "gcan/experiments/peak_memory.h"

#include <gtest/gtest.h>

#include <vector>

#include "gcan/base/error.h"

namespace gcan::experiments {
namespace peak_memory_test {

constexpr std::size_t kSize = std::size_t{64} << 20;

// Writes to all of it, because the system counts touched pages only.
std::vector<char> block() { return std::vector<char>(kSize, 1); }

TEST(PeakMemory, CountsTheHighestPointOfTheWorkAndNotThePreparation) {
  std::vector<char> kept;
  const double growth = peak_growth(
      [&] {
        kept = block();
        block();
      },
      [] {
        const auto one = block();
        { const auto two = block(); }
      });
  EXPECT_GT(growth, 1.9 * kSize);
  EXPECT_LT(growth, 2.3 * kSize);
  EXPECT_TRUE(kept.empty());  // the parent's is untouched
}

TEST(PeakMemory, AFailureInTheChildIsAnError) {
  EXPECT_THROW(peak_growth([] {}, [] { throw Error("on purpose"); }), Error);
}

}  // namespace peak_memory_test
}  // namespace gcan::experiments
