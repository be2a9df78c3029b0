#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gcan::train {

// The order in which examples are visited: all once per epoch, reshuffled as a function of seed and epoch, in
// batches of constant size that span epochs. The only state is the position, so resuming needs only the step.
//
//   Order order(seed, examples, batch);
//   order.batch(step);         // indices of the examples of that step, counted from 0
class Order {
 public:
  Order(std::uint64_t seed, std::int64_t examples, std::int64_t batch);

  // Valid until the next call.
  std::span<const std::int64_t> batch(std::int64_t step);

 private:
  std::uint64_t seed_;
  std::int64_t examples_, batch_;
  std::int64_t epoch_ = -1;  // of permutation_
  std::vector<std::int64_t> permutation_, indices_;
};

// The numbers 0 .. count-1 in the order of an epoch (Fisher and Yates, with Philox numbers).
std::vector<std::int64_t> shuffled(std::uint64_t seed, std::int64_t epoch, std::int64_t count);

}  // namespace gcan::train
