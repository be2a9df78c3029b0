#pragma once

// Whole networks, as LibTorch modules, and the registry that finds them by name: gcan::models.

#include "gcan/models/fluid/released_names.h"
#include "gcan/models/fluid/resnet.h"
#include "gcan/models/fluid/unet.h"
#include "gcan/models/fourier/clifford_fourier_net.h"
#include "gcan/models/registry.h"
#include "gcan/models/tetris/edge_conv.h"
#include "gcan/models/tetris/emlp.h"
#include "gcan/models/tetris/gca_gnn.h"
#include "gcan/models/tetris/gca_mlp.h"
#include "gcan/models/tetris/gnn.h"
#include "gcan/models/tetris/mlp.h"
#include "gcan/nn.h"
