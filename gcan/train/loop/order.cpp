#include "gcan/train/loop/order.h"

#include <numeric>

#include "gcan/base/philox.h"

namespace gcan::train {

std::vector<std::int64_t> shuffled(std::uint64_t seed, std::int64_t epoch, std::int64_t count) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  const base::PhiloxKey key{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  const auto visit = static_cast<std::uint64_t>(epoch);
  for (std::size_t i = order.size(); i > 1; --i) {
    const std::uint64_t at = i;
    const auto bits =
        base::philox4x32({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at >> 32),
                          static_cast<std::uint32_t>(visit), static_cast<std::uint32_t>(visit >> 32)},
                         key);
    const std::uint64_t word = (std::uint64_t{bits[1]} << 32) | bits[0];
    // The high half of the product is uniform in [0, i) to 2^-64 i (Lemire 2019).
    __extension__ using Wide = unsigned __int128;
    std::swap(order[i - 1], order[static_cast<std::size_t>((Wide{word} * at) >> 64)]);
  }
  return order;
}

Order::Order(std::uint64_t seed, std::int64_t examples, std::int64_t batch)
    : seed_(seed), examples_(examples), batch_(batch), indices_(static_cast<std::size_t>(batch)) {}

std::span<const std::int64_t> Order::batch(std::int64_t step) {
  for (std::int64_t i = 0; i < batch_; ++i) {
    const std::int64_t visit = step * batch_ + i;
    if (const std::int64_t epoch = visit / examples_; epoch != epoch_) {
      permutation_ = shuffled(seed_, epoch, examples_);
      epoch_ = epoch;
    }
    indices_[static_cast<std::size_t>(i)] = permutation_[static_cast<std::size_t>(visit % examples_)];
  }
  return indices_;
}

}  // namespace gcan::train
