#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "gcan/distributed/group.h"
#include "gcan/torch.h"

namespace gcan::distributed {

// Sums gradients over the ranks in buckets of tensors during the backward pass. The composition of buckets
// depends only on the order, sizes and types of tensors, because the order of Gloo's sums depends on the
// position in the buffer: a resumed run has the same buckets. Buckets start in order, for any order of
// gradients.
//
//   Buckets buckets(group, tensors_in_the_order_of_their_gradients, Wire::as_is);
//   buckets.begin();
//   buckets.ready(i, gradient);                    // from the backward pass
//   buckets.start_rest();
//   while (const auto done = buckets.next(true)) for (const std::size_t i : *done) use(buckets.sum_of(i));
class Buckets {
 public:
  // Nothing overlaps with the last bucket's sum, so it should be small.
  static constexpr std::int64_t kBytes = 4 << 20;

  Buckets(Group& group, const std::vector<torch::Tensor>& tensors, Wire wire, std::int64_t bytes = kBytes);

  void begin();
  [[nodiscard]] bool open() const { return open_; }
  void ready(std::size_t tensor, const torch::Tensor& gradient);
  // Missing gradients count as zeros.
  void start_rest();
  // The tensors of the next bucket with a completed sum; empty if it is not complete and after the last
  // bucket. With `wait`, blocks until it is complete.
  std::optional<std::span<const std::size_t>> next(bool wait);
  // The sum, in the shape of the tensor; valid until the next begin().
  [[nodiscard]] torch::Tensor sum_of(std::size_t tensor) const { return views_.at(tensor); }

  [[nodiscard]] std::size_t count() const { return buckets_.size(); }

 private:
  struct Bucket {
    torch::Tensor flat;
    std::vector<std::size_t> tensors;
    std::size_t missing = 0;
    Group::Pending sum = {};
  };
  void start_those_that_are_whole();

  Group& group_;
  Wire wire_;
  std::vector<Bucket> buckets_;
  std::vector<torch::Tensor> views_;
  std::vector<std::size_t> bucket_of_;
  std::vector<bool> came_;
  std::size_t started_ = 0, taken_ = 0;
  bool open_ = false;
};

}  // namespace gcan::distributed
