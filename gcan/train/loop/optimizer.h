#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gcan/config/options.h"
#include "gcan/distributed/buckets.h"
#include "gcan/kernels/adam.h"
#include "gcan/torch.h"
#include "gcan/train/files/safetensors.h"

namespace gcan::train {

// Adam or AdamW on all parameters of a module that have gradients, with gradient clipping and a running
// average of the weights (EMA), in one pass over memory (gcan/kernels/adam.h). The maths is that of
// torch::optim::Adam and AdamW; unlike theirs the state can be saved by the parameters' names.
//
//   Optimizer optimizer(*network, options);             // options of section "train"
//   loss.backward();
//   const double norm = optimizer.step(1, 1e-3);        // of the gradients, before clipping
//   optimizer.clear_gradients();
class Optimizer {
 public:
  Optimizer(const torch::nn::Module& module, const config::Options& train);
  ~Optimizer();
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // From now until step() of the same number, backward() updates each parameter as soon as its gradient is
  // whole, while both are in the processor's caches. For a step of one backward pass; with clipping, which
  // needs all gradients first, nothing happens before step().
  void update_in_backward(std::int64_t number, double learning_rate);

  // From now on gradients are summed over the processes of a group: in the backward pass that is announced by
  // average_in_backward(), where each bucket travels while the pass goes on; an update waits for its bucket.
  // `backward` runs a pass like those of training once, to find the order in which gradients come; Error,
  // from the pass itself, when later a parameter gets a gradient that got none in it.
  void sum_over(distributed::Group& group, distributed::Wire wire, const std::function<void()>& backward);
  void sum_in_backward();

  // The update of a step, counted from 1. Returns the norm of all gradients together, which is not finite
  // when one of them is not.
  double step(std::int64_t number, double learning_rate);

  // Undefined gradients: the next backward pass then hands over its own instead of adding to zeros.
  void clear_gradients();

  // Both moments of every parameter, to be saved from and restored into.
  [[nodiscard]] NamedTensors state() const;

  // Averages by the parameters' names, likewise; empty without EMA.
  [[nodiscard]] NamedTensors average() const;

  // The largest gradients for an error message: "layer.weight 3.2e+20, ...".
  [[nodiscard]] std::string largest_gradients() const;

 private:
  struct Slot {
    std::string name;
    torch::Tensor parameter, mean, square, average;
    std::shared_ptr<torch::autograd::Node> accumulator;  // adds to the gradient, and then calls our hook
    std::uintptr_t hook = 0;
    bool done = false;                                 // in this step
    std::unique_ptr<bool[]> resting = nullptr;         // see kernels::AdamTensor
    std::int64_t rested_at = -1;                       // version of the moments when `resting` was found
    std::optional<std::size_t> summed = std::nullopt;  // its number among those of the buckets
  };
  class Hook;

  void begin(std::int64_t number, double learning_rate);
  void update(Slot& slot);
  template <class T>
  double update_numbers(Slot& slot, const torch::Tensor& gradient) const;
  [[nodiscard]] double norm() const;
  void take_sums(bool wait);

  std::vector<Slot> slots_;
  kernels::AdamRule rule_;
  double clip_, ema_;
  bool in_backward_ = false;
  std::optional<distributed::Buckets> buckets_;
  std::vector<std::size_t> order_;  // of slots, as their gradients come
  bool recording_ = false;          // that order
  double squares_ = 0;              // of the gradients of this step's updates
};

// Copies the tensors into those of the same names. Error, naming `source`, when one is missing, left over, or
// of another shape or type.
void copy_by_name(const NamedTensors& from, const NamedTensors& into, const std::string& source);

// The parameters that are trained, by name: those an average of the weights is kept of.
NamedTensors trained_of(const torch::nn::Module& module);

// Parameters and buffers of a module by name: what its file of weights holds.
NamedTensors weights_of(const torch::nn::Module& module);

}  // namespace gcan::train
