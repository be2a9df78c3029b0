#pragma once

// A device that this machine has not: LibTorch's PrivateUse1, with memory that only its own copies reach.
// What a tensor there gives as data_ptr() is an address that nobody may read or write, so that whoever takes
// it for memory of the CPU ends the program at once. Operations are computed by LibTorch's fallback: it
// copies to the CPU, computes there and copies back.

#include <cstdint>

#include "gcan/torch.h"

namespace gcan::test {

// Registers the device at the first call.
torch::Device pretend_device();

// What a program would have to wait for or to send to a real device, since the last call of forget_traffic().
// Copies that the fallback makes for an operation do not count.
struct Traffic {
  std::int64_t sent = 0;     // copies from the CPU
  std::int64_t awaited = 0;  // copies to the CPU, and questions for a number
};
Traffic traffic();
void forget_traffic();

}  // namespace gcan::test
