#pragma once

// LibTorch for gcan's code: include this and not <torch/torch.h>. clang in C++20 mode rejects LibTorch
// 1.13 unless ivalue.h comes first, and our build precompiles exactly this header.

#include <ATen/core/ivalue.h>
#include <torch/torch.h>
