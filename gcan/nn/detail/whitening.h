#pragma once

// The matrices of a whitening normalisation from the moments of features, and their gradients. The matrices
// are small, so everything is double and single-threaded.

#include <cstddef>
#include <vector>

namespace gcan::nn::detail {

struct WhiteningSizes {
  std::size_t samples, channels, groups, blades;
  std::size_t space;  // positions of a channel
  double eps;         // added to the variances, times 1 + their mean

  [[nodiscard]] std::size_t rows() const { return samples * channels; }
  [[nodiscard]] std::size_t of_group() const { return channels / groups; }
  // Samples in the statistics of one group.
  [[nodiscard]] double count() const { return static_cast<double>(of_group() * space); }
};

// y = matrix (x - origin) + shift for each row (sample and channel): (x - mean) times the inverse L^-1 of
// the Cholesky factor of its group's covariance, times the channel's weight, plus its bias.
class WhiteningMaps {
 public:
  // sums (row, blades) of x - origin over space, products (row, blades, blades) of its components; weight
  // (channel, blades, blades) and bias (channel, blades), each may be null. Error if a covariance is not
  // finite or not positive definite.
  WhiteningMaps(const WhiteningSizes& sizes, const double* sums, const double* products, const double* weight,
                const double* bias);

  std::vector<double> matrix;  // (row, blades, blades)
  std::vector<double> shift;   // (row, blades)

  // Converts the gradients of matrix and shift to those of x and the parameters. The gradient of x is,
  // besides matrix^T times that of y, pull (x - origin) + constant.
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
