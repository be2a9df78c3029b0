#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gcan::data {

// Mean and sum of squared deviations of some numbers; two of them join to that of both without loss of
// digits (Chan, Golub, LeVeque 1979), so that a file keeps one per trajectory and the statistics of a split
// need no second reading.
struct Moments {
  double count = 0;
  double mean = 0;
  double deviations = 0;  // sum of (x - mean)^2

  void join(const Moments& other);
  double std() const;  // of the whole, not of a sample
  double rms() const;
};

// Of one component of a trajectory, and of the differences of its successive frames.
struct FieldMoments {
  Moments values, differences;
};

// `values` holds frames one after another, each `frame_size` points of `components` interleaved numbers.
std::vector<FieldMoments> field_moments(std::span<const float> values, std::size_t frame_size,
                                        std::size_t components);

}  // namespace gcan::data
