#pragma once

#include <cstdint>

namespace gcan::train {

// The factor of the loss in a training in float16, whose smallest numbers would else become zero in the
// gradients. It starts large, is halved when a gradient is not finite, which costs that step, and doubled
// after a long row of finite ones: as torch.cuda.amp.GradScaler with its usual numbers.
//
//   LossScale scale;
//   (loss * scale.factor()).backward();            // gradients are divided by it before the update
//   if (!scale.accepts(norm)) ...                  // this step's update is left out
class LossScale {
 public:
  static constexpr double kFirst = 65536, kLeast = 1;
  static constexpr std::int64_t kRow = 2000;

  [[nodiscard]] double factor() const { return factor_; }
  [[nodiscard]] std::int64_t row() const { return row_; }  // of finite steps

  // Whether gradients of this norm may be used; changes the factor.
  bool accepts(double norm);
  // Whether there is nothing left to halve: the gradients are not finite for another reason.
  [[nodiscard]] bool is_exhausted() const { return factor_ < kLeast; }

  // What a checkpoint kept.
  void restore(double factor, std::int64_t row);

 private:
  double factor_ = kFirst;
  std::int64_t row_ = 0;
};

}  // namespace gcan::train
