#include "gcan/train/device.h"

#include <ATen/Context.h>
#include <fmt/format.h>

#include <charconv>

#include "gcan/base/error.h"
#include "gcan/base/human.h"

namespace gcan::train {
namespace {

[[noreturn]] void refuse(const std::string& name, bool has_cuda) {
  throw Error(
      fmt::format("--device {}: {}; use --device cpu", name,
                  has_cuda ? "LibTorch finds no usable GPU" : "gcan was built with a LibTorch without CUDA"));
}

torch::Device gpu(const std::string& name, int number, int gpus) {
  if (number < gpus) return {torch::kCUDA, static_cast<c10::DeviceIndex>(number)};
  throw Error(fmt::format("--device {}: there is no GPU {} on this machine, which has {}, counted from 0",
                          name, number, base::counted(gpus, "GPUs")));
}

}  // namespace

torch::Device device_named(const std::string& name, int local_rank) {
  return device_named(name, local_rank, static_cast<int>(torch::cuda::device_count()),
                      at::globalContext().hasCUDART());
}

torch::Device device_named(const std::string& name, int local_rank, int gpus, bool has_cuda) {
  if (name == "cpu" || (name == "auto" && gpus == 0)) return torch::kCPU;
  if (name == "auto" || name == "cuda") {
    if (gpus == 0) refuse(name, has_cuda);
    if (local_rank < gpus) return gpu(name, local_rank, gpus);
    throw Error(
        fmt::format("process {} of this machine has no GPU of its own: the machine has {}; start one "
                    "process per GPU, or use --device cpu",
                    local_rank, base::counted(gpus, "GPUs")));
  }
  int number = -1;
  const std::string_view prefix = "cuda:";
  const char* const end = name.data() + name.size();
  if (name.starts_with(prefix)) {
    const auto [stop, problem] = std::from_chars(name.data() + prefix.size(), end, number);
    if (problem != std::errc() || stop != end) number = -1;
  }
  constexpr int kMost = 127;  // LibTorch stores device numbers in a byte
  if (number < 0 || number > kMost) {
    throw Error(
        fmt::format("--device expects auto, cpu, cuda or a GPU's number as in cuda:1, not '{}'", name));
  }
  if (gpus == 0) refuse(name, has_cuda);
  return gpu(name, number, gpus);
}

torch::Tensor sent_to(const torch::Device& device, const torch::Tensor& tensor) {
  if (device == tensor.device()) return tensor;
  const bool pins = device.is_cuda() && tensor.device().is_cpu();
  return (pins ? tensor.pin_memory() : tensor).to(device, /*non_blocking=*/pins);
}

}  // namespace gcan::train
