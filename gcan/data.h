#pragma once

// Data files: gcan::data.

#include "gcan/data/exchange.h"
#include "gcan/data/generate.h"
#include "gcan/data/tetris_file.h"
#include "gcan/data/well_file.h"
