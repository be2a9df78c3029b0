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
// average of the weights (EMA), in one pass over memory (gcan/kernels/adam.h), or with tensor operations on
// other devices than the CPU (gcan/nn/detail/adam_step.h). Computes the same as torch::optim::Adam and AdamW,
// but its state can be saved by parameter name.
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

  // Until step() with the same number, backward() updates each parameter as soon as its gradient is complete,
  // while both are in cache. For steps with a single backward pass; with clipping, which needs all gradients,
  // and on other devices than the CPU, updates happen in step().
  void update_in_backward(std::int64_t number, double learning_rate);

  // Sums gradients over the processes of a group from now on, in buckets that are sent during the backward
  // pass announced by average_in_backward(); updates wait for their bucket. `backward` runs one such pass to
  // find the order of gradients. A later pass throws Error if a parameter gets a gradient that had none in
  // this pass.
  void sum_over(distributed::Group& group, distributed::Wire wire, const std::function<void()>& backward);
  void sum_in_backward();

  // The update of a step, counted from 1. Returns the norm of the gradient, which is not finite if any
  // component is not.
  double step(std::int64_t number, double learning_rate);

  // step() in three parts, so that the host waits for its device only once: waits for the sums over the
  // processes; returns the squared norm as a tensor on the device; updates, given the finite norm, with
  // gradients that are `factor` times too large.
  void finish_sums();
  [[nodiscard]] torch::Tensor squared_norm() const;
  void step_with(std::int64_t number, double learning_rate, double norm, double factor = 1);

  // Makes gradients undefined, so that the next backward pass assigns them instead of adding to zeros.
  void clear_gradients();

  // Both moments of every parameter, for saving and restoring.
  [[nodiscard]] NamedTensors state() const;

  // Averages by parameter name; empty without EMA.
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
    std::optional<std::size_t> summed = std::nullopt;  // its index among the tensors of the buckets
  };
  class Hook;

  void begin(std::int64_t number, double learning_rate);
  void clip_to(double norm);
  void update(Slot& slot);
  void update_by_tensors();
  template <class T>
  double update_numbers(Slot& slot, const torch::Tensor& gradient) const;
  [[nodiscard]] double norm() const;
  void take_sums(bool wait);

  std::vector<Slot> slots_;
  bool by_tensors_ = false;
  torch::Device device_ = torch::kCPU;
  kernels::AdamRule rule_;
  double clip_, ema_;
  bool in_backward_ = false;
  std::optional<distributed::Buckets> buckets_;
  std::vector<std::size_t> order_;  // slots in the order of their gradients
  bool recording_ = false;          // whether the order is being recorded
  double squares_ = 0;              // of the gradients of this step's updates
};

// Copies tensors by name. Error, naming `source`, if one is missing, superfluous, or of another shape or
// type.
void copy_by_name(const NamedTensors& from, const NamedTensors& into, const std::string& source);

// The trained parameters by name, which have averages.
NamedTensors trained_of(const torch::nn::Module& module);

// Parameters and buffers of a module by name, the contents of its weights file.
NamedTensors weights_of(const torch::nn::Module& module);

}  // namespace gcan::train
