#pragma once

// Assembles the kernel of an ordinary linear layer or convolution from actions and weights. All group
// action layers go through this code for autograd. On the CPU it runs gcan/kernels forward and backward; on
// other devices, and for second derivatives, it evaluates the same plan with tensor operations.

#include <mutex>
#include <vector>

#include "gcan/algebra/sandwich_plan.h"
#include "gcan/kernels/sandwich.h"
#include "gcan/nn/detail/constant.h"
#include "gcan/nn/plain_kernel.h"
#include "gcan/torch.h"

namespace gcan::nn::detail {

// The immutable state of a layer, shared by the layer, its clones and pending backward passes.
class ActionKernel : public torch::CustomClassHolder {
 public:
  // `kernel_size` is empty for linear layers; layout.positions is its product.
  ActionKernel(SandwichPlan plan, kernels::PairLayout layout, kernels::ActionInverse inverse,
               std::vector<std::int64_t> kernel_size);

  // Like assemble() below, but with tensor operations on any device. Does not check for non-finite values,
  // which would make the host wait for the device.
  [[nodiscard]] AssembledKernel assemble_by_tensors(const torch::Tensor& action, const torch::Tensor& weight,
                                                    const torch::Tensor& delta) const;

  [[nodiscard]] const SandwichPlan& plan() const { return plan_; }
  [[nodiscard]] const kernels::PairLayout& layout() const { return layout_; }
  [[nodiscard]] const kernels::ActionInverse& inverse() const { return inverse_; }
  // The assembled kernel's sizes, (rows * U, columns * V, positions...): see kernels::PairLayout.
  [[nodiscard]] std::vector<std::int64_t> kernel_sizes() const;

 private:
  SandwichPlan plan_;
  kernels::PairLayout layout_;
  kernels::ActionInverse inverse_;
  std::vector<std::int64_t> kernel_size_;
  // The plan as a matrix. Rows: the entries of M, then those of the constants. Columns: the products a_l
  // a_r.
  DeviceTensor left_, right_, coefficients_, norm_signs_;
  DeviceTensor identity_;  // 1 for the entries of M whose output and input blade are equal
};

using ActionKernelPtr = c10::intrusive_ptr<ActionKernel>;

// action (blades, rows, columns, positions...), weight (rows, columns, positions...) and delta (groups *
// columns, constants), which is empty without constants. Error if one is not finite.
AssembledKernel assemble(const ActionKernelPtr& self, const torch::Tensor& action,
                         const torch::Tensor& weight, const torch::Tensor& delta);

// Caches an assembled kernel until a parameter changes. LibTorch's version counter (`_version`) detects
// changes to a tensor except those through raw pointers or `tensor.data()`: call forget() after them.
class KernelCache {
 public:
  KernelCache() = default;
  KernelCache(const KernelCache&) = delete;
  KernelCache& operator=(const KernelCache&) = delete;
  ~KernelCache() = default;

  // Returns the cached kernel if it was made from the same parameters at the same versions; otherwise calls
  // make() and caches the result. Parameters may be undefined tensors. Thread-safe.
  template <class Make>
  AssembledKernel get(const std::vector<torch::Tensor>& parameters, const Make& make) {
    const std::lock_guard lock(mutex_);
    if (fits(parameters)) return kept_;
    AssembledKernel made = make();
    remember(parameters, made);
    return made;
  }
  void forget();

 private:
  [[nodiscard]] bool fits(const std::vector<torch::Tensor>& parameters) const;
  void remember(const std::vector<torch::Tensor>& parameters, const AssembledKernel& made);

  std::mutex mutex_;
  AssembledKernel kept_;
  // Aliases that keep the parameters' memory alive, so that no other tensor can reuse the address.
  std::vector<torch::Tensor> parameters_;
  std::vector<std::int64_t> versions_;
};

}  // namespace gcan::nn::detail
