#pragma once

// A simulated device: LibTorch's PrivateUse1, with memory that only its copy functions can access. data_ptr()
// of its tensors is an inaccessible address, so code that mistakes it for CPU memory crashes at once.
// LibTorch's fallback computes operations: it copies to the CPU, computes there, and copies back.

#include <cstdint>

#include "gcan/torch.h"

namespace gcan::test {

// Registers the device on the first call.
torch::Device pretend_device();

// Transfers and synchronisations that a real device would need, since the last call of forget_traffic(),
// without the fallback's copies.
struct Traffic {
  std::int64_t sent = 0;     // copies from the CPU
  std::int64_t awaited = 0;  // copies to the CPU, and reads of a number
};
Traffic traffic();
void forget_traffic();

}  // namespace gcan::test
