#pragma once

#include <map>
#include <string>

#include "gcan/torch.h"

namespace gcan::models {

// Parameters with the names of the Python networks (`model.state_dict()`).
using StateDict = std::map<std::string, torch::Tensor>;

// Fills a fluid network with the parameters of the same network in cliffordlayers (CliffordG3ResNet2d,
// CliffordG3UNet2d, CliffordFluidNet2d) or pdearena (ResNet, Unet, GCAFluidNet2d); see docs/networks.md for
// the names. Error if a parameter is missing, superfluous, or has another shape.
//
//   gcan::models::load_released(*network, {{"conv1.weights.0", w0}, ...});
void load_released(torch::nn::Module& network, const StateDict& state);

}  // namespace gcan::models
