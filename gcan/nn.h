#pragma once

// The layers, as LibTorch modules: gcan::nn.

#include "gcan/algebra.h"
#include "gcan/nn/capability.h"
#include "gcan/nn/checkpoint.h"
#include "gcan/nn/clifford_conv.h"
#include "gcan/nn/clifford_fourier.h"
#include "gcan/nn/clifford_linear.h"
#include "gcan/nn/clifford_norm.h"
#include "gcan/nn/conv.h"
#include "gcan/nn/device.h"
#include "gcan/nn/embed.h"
#include "gcan/nn/fold.h"
#include "gcan/nn/group_action.h"
#include "gcan/nn/linear.h"
#include "gcan/nn/msilu.h"
#include "gcan/nn/norm.h"
#include "gcan/nn/norm_msilu.h"
#include "gcan/nn/tensor_algebra.h"
#include "gcan/torch.h"
