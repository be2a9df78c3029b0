#pragma once

// How the products of a linear layer are divided among threads.

#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

namespace gcan::nn::detail {

// Below this many multiplications, another thread costs more than it saves.
inline constexpr std::int64_t kMultiplicationsPerTask = 1 << 20;

// More parts than threads balance the load when a thread starts late; with more parts than these, oneDNN
// would repack the common factor too often.
inline constexpr std::int64_t kPartsPerThread = 2;

// The number of threads, and of parts of the rows or samples.
struct Sharing {
  std::int64_t threads, parts;
};

inline Sharing sharing(std::int64_t multiplications, std::int64_t most) {
  const std::int64_t worthwhile = multiplications / kMultiplicationsPerTask;
  const std::int64_t threads =
      std::max<std::int64_t>(1, std::min<std::int64_t>(worthwhile, at::get_num_threads()));
  return {threads, threads == 1 ? 1 : std::min(kPartsPerThread * threads, most)};
}

// A part of [0, count).
struct Range {
  std::int64_t first, last;
  Range(std::int64_t count, std::int64_t part, std::int64_t parts)
      : first(count * part / parts), last(count * (part + 1) / parts) {}
};

// Whether a bias has any effect. Without translations it has none, and adding it takes a pass over the
// result.
inline bool any_nonzero(const float* elements, std::int64_t first, std::int64_t last) {
  return std::any_of(elements + first, elements + last, [](float x) { return x != 0; });
}

// Sixteen parallel sums, because the compiler may not reorder a single one.
inline float sum_of(const float* elements, std::int64_t count) {
  std::array<float, 16> sums{};
  std::int64_t n = 0;
  for (; n + 16 <= count; n += 16) {
    for (std::int64_t k = 0; k < 16; ++k) sums[static_cast<std::size_t>(k)] += elements[n + k];
  }
  return std::accumulate(elements + n, elements + count, std::accumulate(sums.begin(), sums.end(), 0.0F));
}

}  // namespace gcan::nn::detail
