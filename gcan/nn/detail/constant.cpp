#include "gcan/nn/detail/constant.h"

#include <map>
#include <mutex>
#include <tuple>
#include <utility>

namespace gcan::nn::detail {
namespace {

using torch::Tensor;

// A copy that outlives the call: an inference-mode tensor could not be used in later training.
Tensor copied(const Tensor& made, const torch::Device& device, torch::ScalarType type) {
  const BesideModes beside;
  const c10::InferenceMode for_training(false);
  const torch::NoGradGuard no_grad;
  return made.to(device, type);
}

template <class T>
Tensor made_of(const std::vector<T>& values) {
  const BesideModes beside;
  return torch::tensor(values, c10::CppTypeToScalarType<T>::value);
}

template <class T>
Tensor constant_of(const std::vector<T>& values, const torch::Device& device, torch::ScalarType type) {
  if (device.is_cpu()) {
    const Tensor made = for_modes(made_of(values));
    // Explicit conversion: a converting torch::tensor() leaves garbage in a trace (LibTorch 1.13).
    return made.scalar_type() == type ? made : made.to(type);
  }
  using Key = std::tuple<c10::DeviceType, c10::DeviceIndex, torch::ScalarType, std::vector<T>>;
  // Leaked on purpose: at exit the device may already be gone.
  static auto& kept = *new std::map<Key, Tensor>();
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  Tensor& tensor = kept[Key(device.type(), device.index(), type, values)];
  if (!tensor.defined()) {
    const c10::InferenceMode for_training(false);
    tensor = copied(made_of(values), device, type);
  }
  return for_modes(tensor);
}

}  // namespace

Tensor constant(const std::vector<std::int64_t>& values, const torch::Device& device) {
  return constant_of(values, device, torch::kLong);
}

Tensor constant(const std::vector<double>& values, const torch::TensorOptions& like) {
  return constant_of(values, like.device(), c10::typeMetaToScalarType(like.dtype()));
}

struct DeviceTensor::State {
  Tensor made;
  std::mutex mutex;
  std::vector<Tensor> copies;  // one per requested device and type
};

DeviceTensor::DeviceTensor(Tensor made) : state_(std::make_shared<State>()) {
  state_->made = std::move(made);
}

const Tensor& DeviceTensor::made() const { return state_->made; }

Tensor DeviceTensor::on(const torch::Device& device) const { return on(device, state_->made.scalar_type()); }

Tensor DeviceTensor::on(const torch::Device& device, torch::ScalarType type) const {
  if (device.is_cpu()) {
    const Tensor made = for_modes(state_->made);
    return made.scalar_type() == type ? made : made.to(type);
  }
  const std::lock_guard lock(state_->mutex);
  for (const Tensor& copy : state_->copies) {
    if (copy.device() == device && copy.scalar_type() == type) return for_modes(copy);
  }
  state_->copies.push_back(copied(state_->made, device, type));
  return for_modes(state_->copies.back());
}

}  // namespace gcan::nn::detail
