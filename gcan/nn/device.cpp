#include "gcan/nn/device.h"

namespace gcan::nn {

void replace_data(const torch::Tensor& tensor, const torch::Tensor& values) {
  const auto served = [](const torch::Tensor& t) { return t.device().is_cpu() || t.device().is_cuda(); };
  if (served(tensor) && served(values)) return tensor.set_data(values);
  // What set_data() does after comparing the types of device.
  tensor.unsafeGetTensorImpl()->shallow_copy_from(values.detach().getIntrusivePtr());
}

void move_to(torch::nn::Module& module, const torch::Device& device) {
  const torch::NoGradGuard no_grad;
  const auto move = [&](const torch::Tensor& tensor) {
    if (tensor.defined() && tensor.device() != device) replace_data(tensor, tensor.detach().to(device));
  };
  for (const torch::Tensor& parameter : module.parameters()) {
    move(parameter.grad());
    move(parameter);
  }
  for (const torch::Tensor& buffer : module.buffers()) move(buffer);
}

torch::Device device_of(const torch::nn::Module& module) {
  for (const torch::Tensor& parameter : module.parameters()) return parameter.device();
  return torch::kCPU;
}

}  // namespace gcan::nn
