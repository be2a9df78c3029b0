#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gcan::data {

// Count, mean and sum of squared deviations of some numbers. They can be joined without loss of precision
// (Chan, Golub, LeVeque 1979), so a file stores them per trajectory and a split's statistics need no second
// pass.
struct Moments {
  double count = 0;
  double mean = 0;
  double deviations = 0;  // sum of (x - mean)^2

  void join(const Moments& other);
  double std() const;  // of the population, not of a sample
  double rms() const;
};

// Of one component of a trajectory, and of the differences between successive frames.
struct FieldMoments {
  Moments values, differences;
};

// `values` contains frames of `frame_size` points with `components` interleaved numbers.
std::vector<FieldMoments> field_moments(std::span<const float> values, std::size_t frame_size,
                                        std::size_t components);

}  // namespace gcan::data
