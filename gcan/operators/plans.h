#pragma once

// gcan/operators: the layers and simulators as functional operators of LibTorch's dispatcher (torch.ops.gcan
// in Python), in one shared library without Python's headers, libgcan_torch. Arguments are tensors and plain
// numbers; data derived from a layer's algebra is cached here. The functions themselves are those of gcan/nn.
//
// This header: the plans of group action layers, one per algebra, blades and shape.

#include "gcan/nn/detail/action_kernel.h"
#include "gcan/torch.h"

namespace gcan::operators {

// The argument `plan` of the operators, a list of integers: p, q, r, inverse (a value of enum Inverse),
// groups, transposed blocks (0 or 1), the numbers of actions, objects and constants, then their blades, each
// as the bits of its basis vectors. Blades are numbered as in gcan::Blade: bit 0 is the first basis vector,
// e0 if there is a null one.
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

// The plan for weights of these sizes, (rows, columns, kernel...). Created on the first call and cached.
// Thread-safe.
nn::detail::ActionKernelPtr kernel_of(at::IntArrayRef numbers, double eps, at::IntArrayRef weight);

}  // namespace gcan::operators
