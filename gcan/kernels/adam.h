#pragma once

// Adam and AdamW on the CPU (Kingma and Ba 2015; Loshchilov and Hutter 2019) in one pass over a tensor:
// clipping, decay, both moments, the step and the running average of the parameters. The pass is
// memory-bound, so the arithmetic is free; LibTorch's implementation makes nine passes.

#include <cstddef>
#include <cstdint>

namespace gcan::kernels {

// One step for all tensors, with the letters of LibTorch's torch::optim::AdamOptions:
//   g = scale * gradient (+ weight_decay * p, unless decoupled)
//   m = beta1 m + (1 - beta1) g,   v = beta2 v + (1 - beta2) g^2
//   p = (1 - learning_rate * weight_decay) p          (decoupled: AdamW)
//   p = p - learning_rate / (1 - beta1^step) m / (sqrt(v / (1 - beta2^step)) + epsilon)
//   average = average_decay average + (1 - average_decay) p
struct AdamRule {
  std::int64_t step = 1;  // counts from 1
  double learning_rate = 1e-3;
  double beta1 = 0.9, beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;
  bool decoupled = false;
  double scale = 1;
  double average_decay = 0;
};

// The number of elements in a piece.
inline constexpr std::size_t kAdamPiece = 1024;

template <class T>
struct AdamTensor {
  T* parameter = nullptr;
  const T* gradient = nullptr;
  T* mean = nullptr;
  T* square = nullptr;
  T* average = nullptr;  // no average if null
  // A flag for each piece of kAdamPiece elements, or null: whether all their moments are zero. A step skips
  // such a piece while its gradients are zero too, as are half of those of a group action layer on points
  // without translations. Not with weight decay or an average.
  bool* resting = nullptr;
};

// Updates the elements [begin, end) and returns the sum of squares of their original gradients, which costs
// nothing here and detects non-finite gradients. The sum over a tensor does not depend on the partition if
// parts begin at multiples of kAdamPiece and are added in order.
template <class T>
double adam_update(const AdamRule& rule, const AdamTensor<T>& tensor, std::size_t begin, std::size_t end);

// The sum of squares alone, which clipping needs before the update.
template <class T>
double sum_of_squares(const T* elements, std::size_t count);

}  // namespace gcan::kernels
