#include "gcan/sim/shallow_water/spectral_layout.h"

namespace gcan::sim::shallow_water {

SpectralLayout::SpectralLayout(int truncation_, int line)
    : truncation(truncation_), orders(truncation_ + 1), size(0) {
  for (int m = 0; m <= truncation; ++m) {
    const int length = (count(m, 0) + line - 1) / line * line;
    offset.push_back(size);
    run.push_back(length);
    size += 2 * length;
  }
}

}  // namespace gcan::sim::shallow_water
