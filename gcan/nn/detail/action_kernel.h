#pragma once

// Actions and weights to the kernel of an ordinary linear layer or convolution: the one place where the group
// action layers meet autograd. On the CPU it runs gcan/kernels in both directions; on other devices, and for
// second derivatives, the same plan as a few tensor operations.

#include <mutex>
#include <vector>

#include "gcan/algebra/sandwich_plan.h"
#include "gcan/kernels/sandwich.h"
#include "gcan/nn/detail/constant.h"
#include "gcan/nn/plain_kernel.h"
#include "gcan/torch.h"

namespace gcan::nn::detail {

// What does not change while a layer lives; shared by the layer, its clones and pending backward passes.
class ActionKernel : public torch::CustomClassHolder {
 public:
  // `kernel_size` is empty for linear layers; layout.positions is its product.
  ActionKernel(SandwichPlan plan, kernels::PairLayout layout, kernels::ActionInverse inverse,
               std::vector<std::int64_t> kernel_size);

  // As assemble() below, by tensor operations, whatever the device. Does not look for numbers that are not
  // finite, which would make the host wait for the device.
  [[nodiscard]] AssembledKernel assemble_by_tensors(const torch::Tensor& action, const torch::Tensor& weight,
                                                    const torch::Tensor& delta) const;

  [[nodiscard]] const SandwichPlan& plan() const { return plan_; }
  [[nodiscard]] const kernels::PairLayout& layout() const { return layout_; }
  [[nodiscard]] const kernels::ActionInverse& inverse() const { return inverse_; }
  // Sizes of the assembled kernel, (rows * U, columns * V, positions...): see kernels::PairLayout.
  [[nodiscard]] std::vector<std::int64_t> kernel_sizes() const;

 private:
  SandwichPlan plan_;
  kernels::PairLayout layout_;
  kernels::ActionInverse inverse_;
  std::vector<std::int64_t> kernel_size_;
  // The plan as a matrix: rows are M's entries, then those of the constants; columns the products a_l a_r.
  DeviceTensor left_, right_, coefficients_, norm_signs_;
  DeviceTensor identity_;  // 1 for the entries of M that the identity has too
};

using ActionKernelPtr = c10::intrusive_ptr<ActionKernel>;

// action (blades, rows, columns, positions...), weight (rows, columns, positions...) and delta
// (groups * columns, constants), which is empty without constants. Error when one is not finite.
AssembledKernel assemble(const ActionKernelPtr& self, const torch::Tensor& action,
                         const torch::Tensor& weight, const torch::Tensor& delta);

// Keeps an assembled kernel until a parameter changes. LibTorch counts the changes of a tensor (`_version`),
// but not those made through raw pointers or `tensor.data()`: call forget() after them.
class KernelCache {
 public:
  KernelCache() = default;
  KernelCache(const KernelCache&) = delete;
  KernelCache& operator=(const KernelCache&) = delete;
  ~KernelCache() = default;

  // What is kept if it was made of these very parameters, otherwise make(), which is then kept. Undefined
  // tensors are allowed among the parameters. May be called by several threads.
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
  // Aliases of the parameters: while they live, no other tensor can take over the memory.
  std::vector<torch::Tensor> parameters_;
  std::vector<std::int64_t> versions_;
};

}  // namespace gcan::nn::detail
