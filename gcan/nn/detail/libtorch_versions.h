#pragma once

// What differs between the versions of LibTorch. No other file asks for the version.

#include <ATen/autocast_mode.h>
#include <torch/version.h>

namespace gcan::nn::detail {

// LibTorch 1.13 runs a transposed bfloat16 convolution on the CPU as one that is not transposed.
inline constexpr bool kTransposesBfloat16 = TORCH_VERSION_MAJOR >= 2;

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)

inline bool autocast_is_on(c10::DeviceType device) { return at::autocast::is_autocast_enabled(device); }
inline void turn_autocast(c10::DeviceType device, bool on) { at::autocast::set_autocast_enabled(device, on); }
inline c10::ScalarType autocast_dtype(c10::DeviceType device) {
  return at::autocast::get_autocast_dtype(device);
}
inline void set_autocast_dtype(c10::DeviceType device, c10::ScalarType type) {
  at::autocast::set_autocast_dtype(device, type);
}

#else  // One pair of functions for the CPU, one for CUDA.

inline bool autocast_is_on(c10::DeviceType device) {
  return device == c10::kCPU ? at::autocast::is_cpu_enabled() : at::autocast::is_enabled();
}
inline void turn_autocast(c10::DeviceType device, bool on) {
  device == c10::kCPU ? at::autocast::set_cpu_enabled(on) : at::autocast::set_enabled(on);
}
inline c10::ScalarType autocast_dtype(c10::DeviceType device) {
  return device == c10::kCPU ? at::autocast::get_autocast_cpu_dtype()
                             : at::autocast::get_autocast_gpu_dtype();
}
inline void set_autocast_dtype(c10::DeviceType device, c10::ScalarType type) {
  device == c10::kCPU ? at::autocast::set_autocast_cpu_dtype(type)
                      : at::autocast::set_autocast_gpu_dtype(type);
}

#endif

}  // namespace gcan::nn::detail
