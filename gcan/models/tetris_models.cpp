#include "gcan/models/registry.h"

namespace gcan::models {

std::vector<Model> tetris_models() { return {}; }

}  // namespace gcan::models
