#include "gcan/nn/detail/whitening.h"

#include <algorithm>
#include <cmath>

#include "gcan/base/error.h"

namespace gcan::nn::detail {
namespace {

// Entries of the largest matrix, 8 x 8; row-major.
constexpr std::size_t kMost = 64;

// A factor of c += or -= a b, optionally transposed.
struct Factor {
  const double* data;
  bool transposed = false;
  [[nodiscard]] double at(std::size_t n, std::size_t i, std::size_t j) const {
    return transposed ? data[j * n + i] : data[i * n + j];
  }
};
void add_product(std::size_t n, Factor a, Factor b, double* c, double sign = 1) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += a.at(n, i, k) * b.at(n, k, j);
      c[i * n + j] += sign * sum;
    }
  }
}

// to += or -= a vector
void add_image(std::size_t n, Factor a, const double* vector, double* to, double sign = 1) {
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += a.at(n, i, k) * vector[k];
    to[i] += sign * sum;
  }
}

// L^-1 for a = L L^T.
void invert_factor(std::size_t n, const double* a, double* inverse) {
  double l[kMost] = {};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= l[i * n + k] * l[j * n + k];
      if (i == j && !(sum > 0 && std::isfinite(sum))) {
        throw Error("CliffordGroupNorm got features whose covariance is not positive and finite");
      }
      l[i * n + j] = i == j ? std::sqrt(sum) : sum / l[j * n + j];
    }
  }
  std::fill_n(inverse, n * n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    inverse[j * n + j] = 1 / l[j * n + j];
    for (std::size_t i = j + 1; i < n; ++i) {
      double sum = 0;
      for (std::size_t k = j; k < i; ++k) sum += l[i * n + k] * inverse[k * n + j];
      inverse[i * n + j] = -sum / l[i * n + i];
    }
  }
}

}  // namespace

WhiteningMaps::WhiteningMaps(const WhiteningSizes& sizes, const double* sums, const double* products,
                             const double* weight, const double* bias)
    : matrix(sizes.rows() * sizes.blades * sizes.blades),
      shift(sizes.rows() * sizes.blades),
      sizes_(sizes),
      weight_(weight),
      mean_(sizes.samples * sizes.groups * sizes.blades),
      inverse_(mean_.size() * sizes.blades) {
  const std::size_t n = sizes.blades, square = n * n, of_group = sizes.of_group();
  const double scale = 1 / sizes.count();
  for (std::size_t group = 0; group < sizes.samples * sizes.groups; ++group) {
    double* mean = mean_.data() + group * n;
    double covariance[kMost] = {};
    for (std::size_t row = group * of_group; row < (group + 1) * of_group; ++row) {
      for (std::size_t i = 0; i < n; ++i) mean[i] += scale * sums[row * n + i];
      for (std::size_t i = 0; i < square; ++i) covariance[i] += scale * products[row * square + i];
    }
    double variance = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) covariance[i * n + j] -= mean[i] * mean[j];
      variance += covariance[i * n + i] / static_cast<double>(n);
    }
    for (std::size_t i = 0; i < n; ++i) covariance[i * n + i] += sizes.eps * (1 + variance);
    double* inverse = inverse_.data() + group * square;
    invert_factor(n, covariance, inverse);
    for (std::size_t row = group * of_group; row < (group + 1) * of_group; ++row) {
      const std::size_t channel = row % sizes.channels;
      double* to = matrix.data() + row * square;
      if (weight == nullptr) {
        std::copy_n(inverse, square, to);
      } else {
        add_product(n, {weight + channel * square}, {inverse}, to);
      }
      if (bias != nullptr) std::copy_n(bias + channel * n, n, shift.data() + row * n);
      add_image(n, {to}, mean, shift.data() + row * n, -1);
    }
  }
}

// With W = L^-1 and Phi the part on and below the diagonal, with the diagonal halved:
//   dW = -Phi(W dA W^T) W,   and so   dL/dA = -W^T Phi(dL/dW W^T) W, made symmetric.
WhiteningMaps::Gradients WhiteningMaps::gradients(const double* dmatrix, const double* dshift) const {
  const std::size_t n = sizes_.blades, square = n * n, of_group = sizes_.of_group();
  const double scale = 1 / sizes_.count();
  Gradients result;
  result.pull.resize(matrix.size());
  result.constant.resize(shift.size());
  result.weight.resize(sizes_.channels * square);
  result.bias.resize(sizes_.channels * n);
  for (std::size_t group = 0; group < sizes_.samples * sizes_.groups; ++group) {
    const double* mean = mean_.data() + group * n;
    const double* inverse = inverse_.data() + group * square;
    double dmean[8] = {}, dinverse[kMost] = {};
    for (std::size_t row = group * of_group; row < (group + 1) * of_group; ++row) {
      const std::size_t channel = row % sizes_.channels;
      const double* of_shift = dshift + row * n;
      double whole[kMost];
      for (std::size_t i = 0; i < square; ++i) {
        whole[i] = dmatrix[row * square + i] - of_shift[i / n] * mean[i % n];
      }
      add_image(n, {matrix.data() + row * square, true}, of_shift, dmean, -1);
      for (std::size_t i = 0; i < n; ++i) result.bias[channel * n + i] += of_shift[i];
      if (weight_ == nullptr) {
        for (std::size_t i = 0; i < square; ++i) dinverse[i] += whole[i];
      } else {
        add_product(n, {whole}, {inverse, true}, result.weight.data() + channel * square);
        add_product(n, {weight_ + channel * square, true}, {whole}, dinverse);
      }
    }
    double phi[kMost] = {}, half[kMost] = {}, raw[kMost] = {}, dcovariance[kMost];
    add_product(n, {dinverse}, {inverse, true}, phi);
    for (std::size_t i = 0; i < n; ++i) {
      phi[i * n + i] /= 2;
      for (std::size_t j = i + 1; j < n; ++j) phi[i * n + j] = 0;
    }
    add_product(n, {inverse, true}, {phi}, half);
    add_product(n, {half}, {inverse}, raw, -1);
    double trace = 0;
    for (std::size_t i = 0; i < n; ++i) trace += raw[i * n + i];
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) dcovariance[i * n + j] = (raw[i * n + j] + raw[j * n + i]) / 2;
    }
    for (std::size_t i = 0; i < n; ++i) {
      dcovariance[i * n + i] += sizes_.eps * trace / static_cast<double>(n);
    }
    add_image(n, {dcovariance}, mean, dmean, -2);
    for (std::size_t row = group * of_group; row < (group + 1) * of_group; ++row) {
      for (std::size_t i = 0; i < n; ++i) result.constant[row * n + i] = scale * dmean[i];
      // A product of components depends on x through both factors.
      for (std::size_t i = 0; i < square; ++i) result.pull[row * square + i] = 2 * scale * dcovariance[i];
    }
  }
  return result;
}

}  // namespace gcan::nn::detail
