#include "gcan/nn/detail/autocast.h"

#include <ATen/autocast_mode.h>
#include <torch/version.h>

#include "gcan/base/error.h"

namespace gcan::nn::detail {
namespace {

using torch::ScalarType;

constexpr std::array kTypes{torch::kCPU, torch::kCUDA};

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
bool is_on(c10::DeviceType device) { return at::autocast::is_autocast_enabled(device); }
void turn(c10::DeviceType device, bool on) { at::autocast::set_autocast_enabled(device, on); }
ScalarType type_for(c10::DeviceType device) { return at::autocast::get_autocast_dtype(device); }
void set_type(c10::DeviceType device, ScalarType type) { at::autocast::set_autocast_dtype(device, type); }
#else
bool is_on(c10::DeviceType device) {
  return device == torch::kCPU ? at::autocast::is_cpu_enabled() : at::autocast::is_enabled();
}
void turn(c10::DeviceType device, bool on) {
  device == torch::kCPU ? at::autocast::set_cpu_enabled(on) : at::autocast::set_enabled(on);
}
ScalarType type_for(c10::DeviceType device) {
  return device == torch::kCPU ? at::autocast::get_autocast_cpu_dtype()
                               : at::autocast::get_autocast_gpu_dtype();
}
void set_type(c10::DeviceType device, ScalarType type) {
  device == torch::kCPU ? at::autocast::set_autocast_cpu_dtype(type)
                        : at::autocast::set_autocast_gpu_dtype(type);
}
#endif

bool is_known(const torch::Device& device) { return device.is_cpu() || device.is_cuda(); }

}  // namespace

c10::optional<ScalarType> autocast_type(const torch::Device& device) {
  if (!is_known(device) || !is_on(device.type())) return c10::nullopt;
  return type_for(device.type());
}

ScalarType autocast_setting(const torch::Device& device) {
  return type_for(is_known(device) ? device.type() : torch::kCUDA);
}

AutocastState::AutocastState() : on_(), types_() {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    on_[i] = is_on(kTypes[i]);
    types_[i] = type_for(kTypes[i]);
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
    turn(kTypes[i], state.on_[i]);
    set_type(kTypes[i], state.types_[i]);
  }
}

}  // namespace gcan::nn::detail
