#include "gcan/nn/detail/autocast.h"

#include "gcan/base/error.h"
#include "gcan/nn/detail/libtorch_versions.h"

namespace gcan::nn::detail {
namespace {

using torch::ScalarType;

constexpr std::array kTypes{torch::kCPU, torch::kCUDA};

bool is_known(const torch::Device& device) { return device.is_cpu() || device.is_cuda(); }

}  // namespace

c10::optional<ScalarType> autocast_type(const torch::Device& device) {
  if (!is_known(device) || !autocast_is_on(device.type())) return c10::nullopt;
  return autocast_dtype(device.type());
}

ScalarType autocast_setting(const torch::Device& device) {
  return autocast_dtype(is_known(device) ? device.type() : torch::kCUDA);
}

AutocastState::AutocastState() : on_(), types_() {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    on_[i] = autocast_is_on(kTypes[i]);
    types_[i] = autocast_dtype(kTypes[i]);
  }
}

AutocastState::AutocastState(const torch::Device& device, ScalarType type) : AutocastState() {
  if (!is_known(device)) throw Error("LibTorch has no autocast for the device '" + device.str() + "'");
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    on_[i] = device.type() == kTypes[i];
    if (on_[i]) types_[i] = type;
  }
}

AutocastState::Scope::Scope(const AutocastState& state) : before_on_(), before_types_() {
  const AutocastState before;
  before_on_ = before.on_;
  before_types_ = before.types_;
  at::autocast::increment_nesting();
  set(state);
}

AutocastState::Scope::~Scope() {
  // Cached casts of weights live until the outermost scope ends.
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  AutocastState before;
  before.on_ = before_on_;
  before.types_ = before_types_;
  set(before);
}

void AutocastState::Scope::set(const AutocastState& state) {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    turn_autocast(kTypes[i], state.on_[i]);
    set_autocast_dtype(kTypes[i], state.types_[i]);
  }
}

}  // namespace gcan::nn::detail
