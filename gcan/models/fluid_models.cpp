#include "gcan/models/registry.h"

namespace gcan::models {

std::vector<Model> fluid_models() { return {}; }

}  // namespace gcan::models
