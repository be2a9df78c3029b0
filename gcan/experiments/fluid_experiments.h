#pragma once

#include "gcan/experiments/experiment.h"

namespace gcan::experiments {

// shallow-water-resnet, shallow-water-unet and navier-stokes. Budget laptop is a scaled copy: a smaller grid,
// and networks so narrow that all of a table have nearly the same number of parameters. Budget workstation
// trains the laptop's networks longer, with clipped gradients.
std::vector<std::unique_ptr<Experiment>> fluid_experiments();

}  // namespace gcan::experiments
