#pragma once

// Training, run folders and trained networks: gcan::train.

#include "gcan/data.h"
#include "gcan/models.h"
#include "gcan/train/config.h"
#include "gcan/train/files/module_file.h"
#include "gcan/train/files/safetensors.h"
#include "gcan/train/run.h"
#include "gcan/train/tasks/task.h"
