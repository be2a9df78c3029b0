#include "gcan/distributed/buckets.h"

namespace gcan::distributed {

Buckets::Buckets(Group& group, const std::vector<torch::Tensor>& tensors, Wire wire, std::int64_t bytes)
    : group_(group), wire_(wire), views_(tensors.size()), bucket_of_(tensors.size()), came_(tensors.size()) {
  const torch::NoGradGuard no_grad;
  std::size_t first = 0;
  while (first < tensors.size()) {
    Bucket bucket;
    const auto options = tensors[first].detach().options();
    std::int64_t elements = 0;
    std::size_t end = first;
    for (; end < tensors.size(); ++end) {
      const torch::Tensor& tensor = tensors[end];
      const bool fits = (elements + tensor.numel()) * tensor.element_size() <= bytes;
      if (end > first && (tensor.scalar_type() != tensors[first].scalar_type() || !fits)) break;
      elements += tensor.numel();
      bucket.tensors.push_back(end);
    }
    bucket.flat = torch::zeros({elements}, options);
    std::int64_t at = 0;
    for (const std::size_t i : bucket.tensors) {
      views_[i] = bucket.flat.narrow(0, at, tensors[i].numel()).view(tensors[i].sizes());
      bucket_of_[i] = buckets_.size();
      at += tensors[i].numel();
    }
    buckets_.push_back(std::move(bucket));
    first = end;
  }
}

void Buckets::begin() {
  for (Bucket& bucket : buckets_) bucket.missing = bucket.tensors.size();
  came_.assign(came_.size(), false);
  started_ = taken_ = 0;
  open_ = true;
}

void Buckets::ready(std::size_t tensor, const torch::Tensor& gradient) {
  const torch::NoGradGuard no_grad;
  group_.tick();
  views_.at(tensor).copy_(gradient);
  if (came_[tensor]) throw Error("a gradient was delivered twice in one backward pass");
  came_[tensor] = true;
  --buckets_[bucket_of_[tensor]].missing;
  start_those_that_are_whole();
}

void Buckets::start_those_that_are_whole() {
  for (; started_ < buckets_.size() && buckets_[started_].missing == 0; ++started_) {
    buckets_[started_].sum = group_.sum_later(buckets_[started_].flat, wire_);
  }
}

void Buckets::start_rest() {
  for (std::size_t i = 0; i < came_.size(); ++i) {
    if (!came_[i]) views_[i].zero_();
  }
  for (Bucket& bucket : buckets_) bucket.missing = 0;
  start_those_that_are_whole();
  open_ = false;
}

std::optional<std::span<const std::size_t>> Buckets::next(bool wait) {
  if (taken_ == started_) return std::nullopt;
  Bucket& bucket = buckets_[taken_];
  if (!wait && !bucket.sum.done()) return std::nullopt;
  bucket.sum.wait();
  ++taken_;
  return std::span<const std::size_t>(bucket.tensors);
}

}  // namespace gcan::distributed
