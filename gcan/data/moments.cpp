#include "gcan/data/moments.h"

#include <cmath>

namespace gcan::data {
namespace {

// Two passes over the numbers at(0), ..., at(count - 1); the second is relative to the mean, for precision.
template <class At>
Moments moments_of(std::size_t count, const At& at) {
  Moments result;
  if (count == 0) return result;
  result.count = static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i) result.mean += at(i);
  result.mean /= result.count;
  for (std::size_t i = 0; i < count; ++i) {
    const double deviation = at(i) - result.mean;
    result.deviations += deviation * deviation;
  }
  return result;
}

}  // namespace

void Moments::join(const Moments& other) {
  if (other.count == 0) return;
  const double total = count + other.count;
  const double shift = other.mean - mean;
  deviations += other.deviations + shift * shift * count * other.count / total;
  mean += shift * other.count / total;
  count = total;
}

double Moments::std() const { return std::sqrt(deviations / count); }

double Moments::rms() const { return std::sqrt(deviations / count + mean * mean); }

std::vector<FieldMoments> field_moments(std::span<const float> values, std::size_t frame_size,
                                        std::size_t components) {
  std::vector<FieldMoments> result(components);
  const std::size_t step = frame_size * components;
  const std::size_t all = values.size() / components;
  const std::size_t pairs = all > frame_size ? all - frame_size : 0;
  for (std::size_t c = 0; c < components; ++c) {
    const auto value = [&](std::size_t i) { return static_cast<double>(values[i * components + c]); };
    const auto difference = [&](std::size_t i) {
      return static_cast<double>(values[i * components + c + step]) - value(i);
    };
    result[c] = {moments_of(all, value), moments_of(pairs, difference)};
  }
  return result;
}

}  // namespace gcan::data
