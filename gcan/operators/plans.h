#pragma once

// gcan/operators: the layers and simulators as functional operators of LibTorch's dispatcher (torch.ops.gcan
// in Python), in one shared library without Python's headers, libgcan_torch. Arguments are tensors and plain
// numbers; what a layer derives from its algebra is kept in here. The functions themselves are those of
// gcan/nn.
//
// This header: the plans of group action layers, made once per algebra, blades and shape.

#include "gcan/nn/detail/action_kernel.h"
#include "gcan/torch.h"

namespace gcan::operators {

// The argument `plan` of the operators, integers all:
//   p, q, r, inverse (the place in enum Inverse), groups, transposed blocks (0 or 1), how many actions,
//   objects and constants, then their blades, each as the bits of its basis vectors.
// The blades' numbers are those of gcan::Blade: bit 0 is the first basis vector, e0 where there is a null
// one.
struct Plan {
  explicit Plan(at::IntArrayRef numbers);

  [[nodiscard]] std::int64_t objects() const { return static_cast<std::int64_t>(objects_.size()); }
  [[nodiscard]] std::int64_t constants() const { return static_cast<std::int64_t>(constants_.size()); }
  [[nodiscard]] std::int64_t groups() const { return groups_; }
  // "GcaLinear(G(3,0,1), 2 -> 3, e012 e013 e023)", for errors.
  [[nodiscard]] std::string title(const std::string& layer, at::IntArrayRef weight) const;

 private:
  friend nn::detail::ActionKernelPtr kernel_of(at::IntArrayRef numbers, double eps, at::IntArrayRef weight);

  Algebra algebra_;
  Inverse inverse_;
  std::int64_t groups_;
  bool transposed_blocks_;
  std::vector<Blade> actions_, objects_, constants_;
};

// The plan for weights of these sizes, (rows, columns, kernel...). Made at the first call and kept; any
// number of threads may ask.
nn::detail::ActionKernelPtr kernel_of(at::IntArrayRef numbers, double eps, at::IntArrayRef weight);

}  // namespace gcan::operators
