#include "gcan/nn/objects.h"

namespace gcan::nn {

std::vector<Blade> default_objects(const Algebra& algebra) {
  return algebra.signature().r == 1 ? algebra.points() : algebra.blades(1);
}

}  // namespace gcan::nn
