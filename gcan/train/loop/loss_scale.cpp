#include "gcan/train/loop/loss_scale.h"

#include <cmath>

namespace gcan::train {

bool LossScale::accepts(double norm) {
  if (!std::isfinite(norm)) {
    factor_ /= 2;
    row_ = 0;
    return false;
  }
  if (++row_ == kRow) {
    factor_ *= 2;
    row_ = 0;
  }
  return true;
}

void LossScale::restore(double factor, std::int64_t row) {
  factor_ = factor;
  row_ = row;
}

}  // namespace gcan::train
