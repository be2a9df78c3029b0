#pragma once

// The simulators: gcan::sim.

#include "gcan/sim/shallow_water/simulate.h"
#include "gcan/sim/shallow_water/validation.h"
#include "gcan/sim/smoke/simulate.h"
#include "gcan/sim/smoke/validation.h"
#include "gcan/sim/tetris/motion_error.h"
#include "gcan/sim/tetris/predictors.h"
#include "gcan/sim/tetris/simulate.h"
