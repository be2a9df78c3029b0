#pragma once

// The matrices of a normalisation by whitening, from the moments of features, and the way back. They are few
// numbers, so all is in double and on one thread.

#include <cstddef>
#include <vector>

namespace gcan::nn::detail {

struct WhiteningSizes {
  std::size_t samples, channels, groups, blades;
  std::size_t space;  // positions of a channel
  double eps;         // added to the variances, times 1 + their mean

  [[nodiscard]] std::size_t rows() const { return samples * channels; }
  [[nodiscard]] std::size_t of_group() const { return channels / groups; }
  // Samples of the statistics of one group.
  [[nodiscard]] double count() const { return static_cast<double>(of_group() * space); }
};

// y = matrix (x - origin) + shift for each row, that is sample and channel: (x - mean) times the inverse L^-1
// of the Cholesky factor of its group's covariance, times the channel's weight, plus its bias.
class WhiteningMaps {
 public:
  // sums (row, blades) of x - origin over space, products (row, blades, blades) of its components; weight
  // (channel, blades, blades) and bias (channel, blades), either may be null. Error where a covariance is not
  // finite or has no such factor.
  WhiteningMaps(const WhiteningSizes& sizes, const double* sums, const double* products, const double* weight,
                const double* bias);

  std::vector<double> matrix;  // (row, blades, blades)
  std::vector<double> shift;   // (row, blades)

  // What the gradients of matrix and shift are to x and the parameters: for x it is, beside what matrix does
  // to that of y, pull (x - origin) + constant.
  struct Gradients {
    std::vector<double> pull;      // (row, blades, blades)
    std::vector<double> constant;  // (row, blades)
    std::vector<double> weight, bias;
  };
  [[nodiscard]] Gradients gradients(const double* dmatrix, const double* dshift) const;

 private:
  WhiteningSizes sizes_;
  const double* weight_;
  std::vector<double> mean_, inverse_;  // of each sample and group
};

}  // namespace gcan::nn::detail
