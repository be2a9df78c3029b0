#include "gcan/train/loop/trainer.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "gcan/base/error.h"
#include "gcan/nn/detail/autocast.h"
#include "gcan/nn/device.h"
#include "gcan/train/device.h"
#include "gcan/train/files/result_json.h"
#include "gcan/train/loop/together.h"

namespace gcan::train {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kGenerator = "torch.generator";  // torch's random state among the optimiser's tensors

NamedTensors copies(const NamedTensors& tensors) {
  NamedTensors result;
  for (const auto& [name, tensor] : tensors) result.emplace_back(name, tensor.detach().clone());
  return result;
}

}  // namespace

c10::optional<torch::ScalarType> autocast_of(const config::Options& options, const torch::Device& device) {
  const std::string& name = options.text("autocast");
  if (name == "none") return c10::nullopt;
  if (name == "float16" && device.is_cpu()) {
    throw Error("train.autocast=float16 is for GPUs; on the CPU set it to bfloat16 or none");
  }
  return name == "float16" ? torch::kHalf : torch::kBFloat16;
}

class Trainer::Stopwatch {
 public:
  explicit Stopwatch(double& seconds) : seconds_(seconds) {}
  ~Stopwatch() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& seconds_;
  Clock::time_point start_ = Clock::now();
};

Averaged::Averaged(const torch::nn::Module& network, const NamedTensors& average) {
  if (average.empty()) return;
  parameters_ = trained_of(network);
  kept_ = copies(parameters_);
  copy_by_name(average, parameters_, "the running average");
}

Averaged::~Averaged() {
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < kept_.size(); ++i) parameters_[i].second.copy_(kept_[i].second);
}

Metrics judge(models::Network& network, Task& task, Split split, Depth depth) {
  const torch::NoGradGuard no_grad;
  network.eval();
  const torch::Device device = nn::device_of(network);
  Metrics metrics = task.evaluate(
      split, [&](const torch::Tensor& x) { return network.forward(sent_to(device, x)).cpu(); }, depth);
  network.train();
  return metrics;
}

Trainer::Trainer(const Config& config, models::Network& network, Task& task, const std::string& folder,
                 const Observer& observer, std::shared_ptr<distributed::Group> group)
    : options_(config.train),
      network_(network),
      task_(task),
      observer_(observer),
      together_(group ? std::move(group) : std::make_shared<distributed::Group>()),
      group_(*together_),
      seed_(static_cast<std::uint64_t>(options_.integer("seed"))),
      steps_(options_.integer("steps")),
      accumulate_(options_.integer("accumulate")),
      device_(nn::device_of(network)),
      autocast_(autocast_of(options_, device_)),
      optimizer_(network, options_),
      schedule_(options_),
      order_(seed_, task.size(Split::train), options_.integer("batch")),
      checkpoints_(folder) {
  if (autocast_ == torch::kHalf) loss_scale_.emplace();
  if (group_.first()) {
    const distributed::Group::Busy busy(group_);
    checkpoints_.clean();
    if (checkpoints_.exists()) resume();
  }
  if (!group_.alone()) begin_together();
  first_step_ = state_.step;
  if (group_.first()) log_.emplace(metrics_path(folder), state_.step);
}

// All ranks start from rank 0's state.
void Trainer::begin_together() {
  const auto [begin, end] = group_.share(options_.integer("batch"));
  share_ = static_cast<double>(end - begin) / static_cast<double>(options_.integer("batch"));
  const NamedTensors kept = copies(weights_of(network_));
  torch::Generator generator = at::detail::getDefaultCPUGenerator();
  const torch::Tensor random = generator.get_state();
  const auto wire =
      options_.text("wire") == "bfloat16" ? distributed::Wire::bfloat16 : distributed::Wire::as_is;
  optimizer_.sum_over(group_, wire, [&] {
    const std::int64_t example = 0;
    const Batch batch = task_.batch(Split::train, std::span(&example, 1), {});
    loss_of({sent_to(device_, batch.input), sent_to(device_, batch.target)}).backward();
  });
  copy_by_name(kept, weights_of(network_), "the first weights");
  broadcast_state(group_, state_);
  if (loss_scale_ && state_.loss_scale > 0) loss_scale_->restore(state_.loss_scale, state_.scaled_row);
  for (const NamedTensors& tensors : {weights_of(network_), optimizer_.average(), optimizer_.state()}) {
    for (const auto& [name, tensor] : tensors) group_.broadcast(tensor);
  }
  group_.broadcast(random);
  generator.set_state(random);
}

Batch Trainer::own_part_of(std::int64_t batch) {
  const Visit visit{seed_, batch + 1};
  const auto own = [&](std::int64_t number) {
    const auto all = order_.batch(number);
    const auto [begin, end] = group_.share(static_cast<std::int64_t>(all.size()));
    return all.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  };
  Batch now = task_.batch(Split::train, own(batch), visit);
  if (batch + 1 < steps_ * accumulate_) {
    task_.expect(Split::train, own(batch + 1), {seed_, batch + 2});
  }
  return now;
}

// On the device, where it was perhaps sent before.
Batch Trainer::batch_there(std::int64_t batch) {
  if (ahead_ && ahead_->first == batch) return std::exchange(ahead_, std::nullopt)->second;
  const Batch here = own_part_of(batch);
  return {sent_to(device_, here.input), sent_to(device_, here.target)};
}

torch::Tensor Trainer::loss_of(const Batch& batch) {
  const Predictor predictor = [&](const torch::Tensor& input) {
    std::optional<nn::detail::AutocastState::Scope> rounded;
    if (autocast_) rounded.emplace(nn::detail::AutocastState(device_, *autocast_));
    return network_.forward(input).to(batch.target.scalar_type());
  };
  torch::Tensor loss = task_.training_loss(predictor, batch);
  if (accumulate_ > 1) loss = loss / static_cast<double>(accumulate_);
  return share_ != 1 ? loss * share_ : loss;
}

void Trainer::resume() {
  Snapshot last = checkpoints_.read("last");
  state_ = last.state;
  if (state_.loss_steps < 0) state_.loss_steps = state_.step % options_.integer("log_every");
  if (loss_scale_ && state_.loss_scale > 0) loss_scale_->restore(state_.loss_scale, state_.scaled_row);
  saved_step_ = state_.step;
  copy_by_name(last.weights, weights_of(network_), "weights.safetensors");
  copy_by_name(last.average, optimizer_.average(), "ema.safetensors");
  for (auto tensor = last.optimizer.begin(); tensor != last.optimizer.end(); ++tensor) {
    if (tensor->first != kGenerator) continue;
    torch::Generator generator = at::detail::getDefaultCPUGenerator();  // a handle of the global generator
    generator.set_state(tensor->second);
    last.optimizer.erase(tensor);
    break;
  }
  copy_by_name(last.optimizer, optimizer_.state(), "optimizer.safetensors");
}

Snapshot Trainer::snapshot(bool with_optimizer) const {
  Snapshot snapshot{state_, weights_of(network_), optimizer_.average(), {}};
  if (loss_scale_) {
    snapshot.state.loss_scale = loss_scale_->factor();
    snapshot.state.scaled_row = loss_scale_->row();
  }
  if (with_optimizer) {
    snapshot.optimizer = optimizer_.state();
    snapshot.optimizer.emplace_back(kGenerator, at::detail::getDefaultCPUGenerator().get_state());
  }
  return snapshot;
}

void Trainer::fail_at(std::int64_t step, const char* what, double value) const {
  const std::string gradients = optimizer_.largest_gradients();
  throw Error(
      fmt::format("{} is {} at step {}; the largest gradients are {}; try a smaller train.learning_rate, "
                  "train.clip or a warm-up{}",
                  what, value, step, gradients,
                  saved_step_ ? fmt::format("; the last checkpoint is of step {}", *saved_step_) : ""));
}

// Adds the gradients of this rank's part of a batch (counted from 0 over the whole run) and its part of the
// loss.
void Trainer::add_gradients(std::int64_t batch, double& step_loss) {
  const Batch now = own_part_of(batch);
  const torch::Tensor loss = loss_of(now);
  const auto value = loss.item<double>();
  step_loss += value;
  // For a non-finite loss, computes gradients only for the error message. Other ranks do not know the loss
  // yet; their updated weights are not saved.
  if (accumulate_ == 1 && (std::isfinite(value) || !group_.alone()))
    optimizer_.update_in_backward(batch + 1, schedule_(batch + 1));
  if ((batch + 1) % accumulate_ == 0 && !group_.alone()) {
    votes_ = torch::tensor({step_loss, stop_wanted() ? 1.0 : 0.0}, torch::kFloat64);
    voting_ = group_.sum_later(votes_);
    optimizer_.sum_in_backward();
  }
  loss.backward();
}

bool Trainer::stop_wanted() { return observer_.stop && observer_.stop(); }

// The step on a device other than the CPU. The host runs ahead and waits once, before the update, for the
// loss and the norm of the gradients.
double Trainer::train_step_there(std::int64_t step) {
  const double factor = loss_scale_ ? loss_scale_->factor() : 1;
  torch::Tensor sum;
  for (std::int64_t batch = (step - 1) * accumulate_; batch < step * accumulate_; ++batch) {
    const torch::Tensor loss = loss_of(batch_there(batch));
    sum = sum.defined() ? sum + loss.detach() : loss.detach();
    if (batch + 1 == step * accumulate_ && !group_.alone()) optimizer_.sum_in_backward();
    (loss_scale_ ? loss * factor : loss).backward();
    if (batch + 1 < steps_ * accumulate_) ahead_.emplace(batch + 1, batch_there(batch + 1));
  }
  optimizer_.finish_sums();
  const torch::Tensor numbers = torch::stack({sum.to(torch::kFloat64), optimizer_.squared_norm()}).cpu();
  auto value = numbers[0].item<double>();
  const double norm = std::sqrt(numbers[1].item<double>()) / factor;
  if (!group_.alone()) {
    votes_ = torch::tensor({value, stop_wanted() ? 1.0 : 0.0}, torch::kFloat64);
    group_.sum(votes_);
    value = votes_[0].item<double>();
  }
  if (!std::isfinite(value)) fail_at(step, "the loss", value);
  const bool used = loss_scale_ ? loss_scale_->accepts(norm) : std::isfinite(norm);
  if (!used && (!loss_scale_ || loss_scale_->is_exhausted()))
    fail_at(step, "the norm of the gradients", norm);
  if (used) optimizer_.step_with(step, schedule_(step), norm, factor);
  return value;
}

double Trainer::train_step(std::int64_t step) {
  optimizer_.clear_gradients();
  if (!device_.is_cpu()) return train_step_there(step);
  double value = 0;
  for (std::int64_t i = 0; i < accumulate_; ++i) add_gradients((step - 1) * accumulate_ + i, value);
  if (!group_.alone()) {
    voting_.wait();
    value = votes_[0].item<double>();
  }
  if (!std::isfinite(value)) fail_at(step, "the loss", value);
  const double norm = optimizer_.step(step, schedule_(step));
  if (!std::isfinite(norm)) fail_at(step, "the norm of the gradients", norm);
  return value;
}

void Trainer::log_loss(double loss) {
  state_.loss_sum += loss;
  const std::int64_t every = options_.integer("log_every");
  ++state_.loss_steps;
  if (state_.step % every != 0 && state_.step != steps_) return;
  Json line{{"kind", "train"},
            {"step", state_.step},
            {"loss", state_.loss_sum / static_cast<double>(state_.loss_steps)},
            {"learning_rate", schedule_(state_.step)},
            {"seconds", state_.seconds},
            {"train_seconds", state_.train_seconds}};
  if (!group_.alone()) {
    const torch::Tensor waited = torch::tensor({group_.waited()}, torch::kFloat64);
    group_.sum(waited);
    // For other ranks and the network, in this start of the program; the mean over the ranks [s].
    line["waited"] = waited.item<double>() / group_.size();
  }
  if (log_) log_->add(line);
  state_.loss_sum = 0;
  state_.loss_steps = 0;
}

void Trainer::validate() {
  if (state_.step % options_.integer("validate_every") != 0 && state_.step != steps_) return;
  const Metrics metrics = [&] {
    const Averaged averaged(network_, optimizer_.average());
    return judge(network_, task_, Split::valid, Depth::quick);
  }();
  if (!group_.alone()) check_weights();
  state_.valid = metrics.error;
  // The first one always counts as the best.
  if (!state_.best || metrics.error < *state_.best) {
    state_.best = metrics.error;
    state_.best_step = state_.step;
    const Snapshot now = snapshot(false);
    if (group_.first()) new_best_ = Snapshot{state_, copies(now.weights), copies(now.average), {}};
  }
  if (!log_) return;
  Json line{{"kind", "valid"}, {"step", state_.step}};
  line.update(to_json(metrics));
  line["seconds"] = state_.seconds;
  log_->add(line);
}

// Ranks with other instruction sets or bad memory would diverge silently.
void Trainer::check_weights() {
  const std::vector<std::string> sums = group_.gather(checksum_of(weights_of(network_)));
  for (int rank = 1; rank < group_.size(); ++rank) {
    if (sums[static_cast<std::size_t>(rank)] == sums[0]) continue;
    throw Error(fmt::format(
        "the weights of {} differ from those of rank 0 at step {}; are its processor and its SIMD "
        "level the same?",
        group_.name_of(rank), state_.step));
  }
}

bool Trainer::checkpoint_due() const {
  const double pause = std::chrono::duration<double>(Clock::now() - saved_at_).count();
  return state_.step == steps_ || state_.step % options_.integer("checkpoint_every") == 0 ||
         pause > options_.number("checkpoint_seconds");
}

void Trainer::save() {
  if (!group_.first() || saved_step_ == state_.step) return;
  const distributed::Group::Busy busy(group_);
  log_->flush();
  const Snapshot last = snapshot(true);
  // Before the first validation the current weights are the best.
  if (!new_best_ && !checkpoints_.exists()) {
    checkpoints_.save(last, snapshot(false));
  } else {
    checkpoints_.save(last, new_best_);
  }
  new_best_.reset();
  saved_step_ = state_.step;
  saved_at_ = Clock::now();
}

void Trainer::report(double loss, Clock::time_point start) const {
  if (!observer_.progress) return;
  observer_.progress({state_.step, steps_, first_step_,
                      std::chrono::duration<double>(Clock::now() - start).count(), loss,
                      schedule_(state_.step), state_.valid, state_.best});
}

bool Trainer::run() {
  const Clock::time_point start = Clock::now();
  network_.train();
  while (state_.step < steps_) {
    double loss = 0;
    {
      const Stopwatch all(state_.seconds);
      {
        const Stopwatch training(state_.train_seconds);
        loss = train_step(state_.step + 1);
      }
      ++state_.step;
    }
    log_loss(loss);
    {
      const Stopwatch all(state_.seconds);
      validate();
    }
    const bool stop = group_.alone() ? stop_wanted() : votes_[1].item<double>() > 0;
    if (stop || checkpoint_due()) {
      const Stopwatch all(state_.seconds);
      save();
    }
    report(loss, start);
    if (stop) return state_.step == steps_;
  }
  return true;
}

}  // namespace gcan::train
