#pragma once

// All of gcan; modules that need LibTorch are included if it is on the include path. A single module compiles
// faster: gcan/algebra.h, nn.h, models.h, sim.h, data.h, train.h.

#include "gcan/algebra.h"
#include "gcan/data.h"
#include "gcan/sim.h"
#include "gcan/version.h"
#if __has_include(<torch/torch.h>) && __has_include("gcan/train.h")
#include "gcan/train.h"
#endif
