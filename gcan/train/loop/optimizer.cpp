#include "gcan/train/loop/optimizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "gcan/base/error.h"
#include "gcan/kernels/adam.h"
#include "gcan/nn/detail/adam_step.h"
#include "gcan/nn/detail/tensor_path.h"

namespace gcan::train {
namespace {

kernels::AdamRule rule_of(const config::Options& o) {
  kernels::AdamRule rule;
  rule.beta1 = o.number("beta1");
  rule.beta2 = o.number("beta2");
  rule.epsilon = o.number("epsilon");
  rule.weight_decay = o.number("weight_decay");
  rule.decoupled = o.text("optimizer") == "adamw";
  return rule;
}

// Flags for pieces in which both moments are zero.
template <class T>
std::unique_ptr<bool[]> find_resting(const torch::Tensor& mean, const torch::Tensor& square) {
  const auto count = static_cast<std::size_t>(mean.numel());
  auto resting = std::make_unique<bool[]>(count / kernels::kAdamPiece + 1);
  for (std::size_t i = 0; i < count; i += kernels::kAdamPiece) {
    const std::size_t length = std::min(kernels::kAdamPiece, count - i);
    const auto zero = [&](const torch::Tensor& t) {
      const T* const first = t.data_ptr<T>() + i;
      return std::all_of(first, first + length, [](T x) { return x == T{0}; });
    };
    resting[i / kernels::kAdamPiece] = zero(mean) && zero(square);
  }
  return resting;
}

double squares_of(const torch::Tensor& gradient) {
  const auto count = static_cast<std::size_t>(gradient.numel());
  return gradient.scalar_type() == torch::kFloat64
             ? kernels::sum_of_squares(gradient.data_ptr<double>(), count)
             : kernels::sum_of_squares(gradient.data_ptr<float>(), count);
}

}  // namespace

class Optimizer::Hook : public torch::autograd::FunctionPostHook {
 public:
  Hook(Optimizer& optimizer, std::size_t slot) : optimizer_(optimizer), slot_(slot) {}

  torch::autograd::variable_list operator()(const torch::autograd::variable_list& outputs,
                                            const torch::autograd::variable_list& /*inputs*/) override {
    Slot& slot = optimizer_.slots_[slot_];
    if (optimizer_.recording_) optimizer_.order_.push_back(slot_);
    if (optimizer_.buckets_ && optimizer_.buckets_->open()) {
      if (!slot.summed) throw Error(fmt::format("the parameter '{}' got its first gradient late", slot.name));
      optimizer_.buckets_->ready(*slot.summed, slot.parameter.grad());
      optimizer_.take_sums(false);
      return outputs;
    }
    if (!optimizer_.in_backward_) return outputs;
    if (slot.done) {
      throw Error(
          fmt::format("the gradient of the parameter '{}' was delivered twice in one backward pass, after "
                      "the first part was used",
                      slot.name));
    }
    optimizer_.update(slot);
    return outputs;
  }

 private:
  Optimizer& optimizer_;
  std::size_t slot_;
};

Optimizer::Optimizer(const torch::nn::Module& module, const config::Options& train)
    : rule_(rule_of(train)), clip_(train.number("clip")), ema_(train.number("ema")) {
  for (const auto& [name, parameter] : trained_of(module)) {
    const auto type = parameter.scalar_type();
    if (!parameter.is_contiguous() || (type != torch::kFloat32 && type != torch::kFloat64)) {
      throw Error(
          fmt::format("the parameter '{}' cannot be trained: it is not a contiguous tensor of float or "
                      "double",
                      name));
    }
    const torch::NoGradGuard no_grad;
    slots_.push_back({name, parameter, torch::zeros_like(parameter), torch::zeros_like(parameter),
                      ema_ > 0 ? parameter.detach().clone() : torch::Tensor(),
                      torch::autograd::impl::grad_accumulator(parameter)});
    Slot& slot = slots_.back();
    slot.hook = slot.accumulator->add_post_hook(std::make_unique<Hook>(*this, slots_.size() - 1));
    device_ = parameter.device();
  }
  by_tensors_ = !device_.is_cpu() || nn::detail::TensorPath::is_forced();
}

Optimizer::~Optimizer() {
  for (const Slot& slot : slots_) slot.accumulator->del_post_hook(slot.hook);
}

void Optimizer::begin(std::int64_t number, double learning_rate) {
  squares_ = 0;
  for (Slot& slot : slots_) slot.done = false;
  rule_.step = number;
  rule_.learning_rate = learning_rate;
  rule_.scale = 1;
  // A faster decay at first, because early weights soon become irrelevant.
  rule_.average_decay = std::min(ema_, static_cast<double>(1 + number) / static_cast<double>(10 + number));
}

void Optimizer::update_in_backward(std::int64_t number, double learning_rate) {
  if (clip_ > 0 || by_tensors_) return;
  begin(number, learning_rate);
  in_backward_ = true;
}

void Optimizer::sum_over(distributed::Group& group, distributed::Wire wire,
                         const std::function<void()>& backward) {
  order_.clear();
  recording_ = true;
  backward();
  recording_ = false;
  clear_gradients();
  std::vector<torch::Tensor> tensors;
  for (const std::size_t i : order_) {
    slots_[i].summed = tensors.size();
    tensors.push_back(slots_[i].parameter);
  }
  buckets_.emplace(group, tensors, wire);
}

void Optimizer::sum_in_backward() {
  if (buckets_) buckets_->begin();
}

// In the order of the buckets, which also fixes the order of the sum of squares.
void Optimizer::take_sums(bool wait) {
  while (const auto done = buckets_->next(wait)) {
    for (const std::size_t i : *done) {
      Slot& slot = slots_[order_[i]];
      slot.parameter.mutable_grad() = buckets_->sum_of(i);
      if (in_backward_) update(slot);
    }
  }
}

template <class T>
double Optimizer::update_numbers(Slot& slot, const torch::Tensor& gradient) const {
  kernels::AdamTensor<T> tensor{slot.parameter.data_ptr<T>(), gradient.data_ptr<T>(), slot.mean.data_ptr<T>(),
                                slot.square.data_ptr<T>(),
                                slot.average.defined() ? slot.average.data_ptr<T>() : nullptr};
  if (!tensor.average && rule_.weight_decay == 0) {
    // Both increase with every external change, such as restoring a state.
    const std::int64_t version = slot.mean._version() + slot.square._version();
    if (std::exchange(slot.rested_at, version) != version) {
      slot.resting = find_resting<T>(slot.mean, slot.square);
    }
    tensor.resting = slot.resting.get();
  }
  return nn::detail::adam_update(rule_, tensor, static_cast<std::size_t>(slot.parameter.numel()));
}

void Optimizer::update(Slot& slot) {
  torch::Tensor gradient = slot.parameter.grad();
  if (!gradient.defined() || slot.done) return;
  gradient = gradient.contiguous();
  squares_ += slot.parameter.scalar_type() == torch::kFloat64 ? update_numbers<double>(slot, gradient)
                                                              : update_numbers<float>(slot, gradient);
  slot.done = true;
  // Layers cache functions of a parameter until its version changes.
  torch::autograd::impl::bump_version(slot.parameter);
}

void Optimizer::finish_sums() {
  if (!buckets_) return;
  buckets_->start_rest();
  take_sums(true);
}

double Optimizer::step(std::int64_t number, double learning_rate) {
  finish_sums();
  if (by_tensors_) {
    const double norm = std::sqrt(squared_norm().item<double>());
    if (std::isfinite(norm)) step_with(number, learning_rate, norm);
    return norm;
  }
  if (!std::exchange(in_backward_, false)) begin(number, learning_rate);
  if (clip_ > 0) {
    const double before = norm();
    if (!std::isfinite(before)) return before;
    clip_to(before);
  }
  for (Slot& slot : slots_) update(slot);
  return std::sqrt(squares_);
}

void Optimizer::clip_to(double norm) {
  rule_.scale *= std::min(1.0, clip_ / (norm + 1e-6));  // as torch::nn::utils::clip_grad_norm_
}

void Optimizer::step_with(std::int64_t number, double learning_rate, double norm, double factor) {
  begin(number, learning_rate);
  rule_.scale = 1 / factor;
  if (clip_ > 0) clip_to(norm);
  if (by_tensors_) return update_by_tensors();
  for (Slot& slot : slots_) update(slot);
}

// Grouped by type, as operations on lists require.
void Optimizer::update_by_tensors() {
  std::map<torch::ScalarType, nn::detail::AdamTensors> of_type;
  for (const Slot& slot : slots_) {
    if (!slot.parameter.grad().defined()) continue;
    nn::detail::AdamTensors& tensors = of_type[slot.parameter.scalar_type()];
    tensors.parameters.push_back(slot.parameter);
    tensors.gradients.push_back(slot.parameter.grad());
    tensors.means.push_back(slot.mean);
    tensors.squares.push_back(slot.square);
    if (slot.average.defined()) tensors.averages.push_back(slot.average);
  }
  const bool together = nn::detail::takes_lists(device_);
  for (auto& [type, tensors] : of_type) nn::detail::adam_update(rule_, tensors, together);
}

torch::Tensor Optimizer::squared_norm() const {
  std::map<torch::ScalarType, std::vector<torch::Tensor>> of_type;
  for (const Slot& slot : slots_) {
    if (slot.parameter.grad().defined())
      of_type[slot.parameter.scalar_type()].push_back(slot.parameter.grad());
  }
  torch::Tensor sum = torch::zeros({}, torch::TensorOptions(device_).dtype(torch::kDouble));
  const bool together = nn::detail::takes_lists(device_);
  for (const auto& [type, gradients] : of_type) sum = sum + nn::detail::sum_of_squares(gradients, together);
  return sum;
}

double Optimizer::norm() const {
  double squares = 0;
  for (const Slot& slot : slots_) {
    if (slot.parameter.grad().defined()) squares += squares_of(slot.parameter.grad().contiguous());
  }
  return std::sqrt(squares);
}

void Optimizer::clear_gradients() {
  for (Slot& slot : slots_) slot.parameter.mutable_grad() = torch::Tensor();
}

NamedTensors Optimizer::state() const {
  NamedTensors state;
  for (const Slot& slot : slots_) {
    state.emplace_back(fmt::format("mean.{}", slot.name), slot.mean);
    state.emplace_back(fmt::format("square.{}", slot.name), slot.square);
  }
  return state;
}

NamedTensors Optimizer::average() const {
  NamedTensors average;
  for (const Slot& slot : slots_) {
    if (slot.average.defined()) average.emplace_back(slot.name, slot.average);
  }
  return average;
}

std::string Optimizer::largest_gradients() const {
  constexpr std::size_t kNamed = 3;
  std::vector<std::pair<double, std::string>> sizes;
  for (const Slot& slot : slots_) {
    if (!slot.parameter.grad().defined() || slot.parameter.numel() == 0) continue;
    const double size = slot.parameter.grad().abs().max().item<double>();
    sizes.emplace_back(size, fmt::format("{} {:.3g}", slot.name, size));
  }
  // NaN first.
  std::stable_sort(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) {
    const auto rank = [](double x) { return std::isnan(x) ? std::numeric_limits<double>::infinity() : x; };
    return rank(a.first) > rank(b.first);
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, sizes.size()); ++i) {
    text.append(text.empty() ? "" : ", ").append(sizes[i].second);
  }
  return text;
}

void copy_by_name(const NamedTensors& from, const NamedTensors& into, const std::string& source) {
  const torch::NoGradGuard no_grad;
  std::map<std::string, torch::Tensor> given(from.begin(), from.end());
  for (auto [name, tensor] : into) {
    const auto found = given.find(name);
    if (found == given.end()) throw Error(fmt::format("'{}' has no tensor '{}'", source, name));
    if (found->second.sizes() != tensor.sizes() || found->second.scalar_type() != tensor.scalar_type()) {
      throw Error(
          fmt::format("'{}' has '{}' with another shape or type than the network; does it belong to another "
                      "network?",
                      source, name));
    }
    tensor.copy_(found->second);
    given.erase(found);
  }
  if (!given.empty()) {
    throw Error(
        fmt::format("'{}' has a tensor '{}' that the network does not have", source, given.begin()->first));
  }
}

NamedTensors trained_of(const torch::nn::Module& module) {
  NamedTensors trained;
  for (const auto& item : module.named_parameters()) {
    if (item.value().requires_grad()) trained.emplace_back(item.key(), item.value());
  }
  return trained;
}

NamedTensors weights_of(const torch::nn::Module& module) {
  NamedTensors weights;
  for (const auto& item : module.named_parameters()) weights.emplace_back(item.key(), item.value());
  for (const auto& item : module.named_buffers()) weights.emplace_back(item.key(), item.value());
  return weights;
}

}  // namespace gcan::train
