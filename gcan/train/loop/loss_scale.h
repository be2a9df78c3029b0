#pragma once

#include <cstdint>

namespace gcan::train {

// The factor of the loss in float16 training, without which small gradients would underflow. It starts large,
// is halved if a gradient is not finite (that step is skipped), and doubled after many finite steps, like
// torch.cuda.amp.GradScaler with its defaults.
//
//   LossScale scale;
//   (loss * scale.factor()).backward();            // gradients are divided by it before the update
//   if (!scale.accepts(norm)) ...                  // this step's update is skipped
class LossScale {
 public:
  static constexpr double kFirst = 65536, kLeast = 1;
  static constexpr std::int64_t kRow = 2000;

  [[nodiscard]] double factor() const { return factor_; }
  [[nodiscard]] std::int64_t row() const { return row_; }  // consecutive finite steps

  // Whether gradients with this norm may be used; updates the factor.
  bool accepts(double norm);
  // Whether the factor cannot be halved further, so the gradients are not finite for another reason.
  [[nodiscard]] bool is_exhausted() const { return factor_ < kLeast; }

  // Restores the state of a checkpoint.
  void restore(double factor, std::int64_t row);

 private:
  double factor_ = kFirst;
  std::int64_t row_ = 0;
};

}  // namespace gcan::train
