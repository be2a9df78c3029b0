#pragma once

// Dense linear algebra for the matrices of versors, at most 12 x 12. Internal to gcan/algebra.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace gcan::detail {

class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols), data_(rows * cols) {}
  static Matrix identity(std::size_t n) {
    Matrix m(n, n);
    for (std::size_t i = 0; i < n; ++i) m(i, i) = 1;
    return m;
  }
  static Matrix diagonal(const std::vector<double>& values) {
    Matrix m(values.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) m(i, i) = values[i];
    return m;
  }

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t cols() const { return cols_; }
  double& operator()(std::size_t i, std::size_t j) { return data_[i * cols_ + j]; }
  const double& operator()(std::size_t i, std::size_t j) const { return data_[i * cols_ + j]; }
  [[nodiscard]] const std::vector<double>& data() const { return data_; }

  // Square root of the sum of squares.
  [[nodiscard]] double norm() const {
    return std::sqrt(std::inner_product(data_.begin(), data_.end(), data_.begin(), 0.0));
  }
  [[nodiscard]] Matrix transposed() const {
    Matrix t(cols_, rows_);
    for (std::size_t i = 0; i < rows_; ++i) {
      for (std::size_t j = 0; j < cols_; ++j) t(j, i) = (*this)(i, j);
    }
    return t;
  }
  [[nodiscard]] Matrix column(std::size_t j) const {
    Matrix c(rows_, 1);
    for (std::size_t i = 0; i < rows_; ++i) c(i, 0) = (*this)(i, j);
    return c;
  }
  void set_column(std::size_t j, const Matrix& c) {
    for (std::size_t i = 0; i < rows_; ++i) (*this)(i, j) = c(i, 0);
  }

  friend Matrix operator+(Matrix a, const Matrix& b) {
    for (std::size_t i = 0; i < a.data_.size(); ++i) a.data_[i] += b.data_[i];
    return a;
  }
  friend Matrix operator*(double factor, Matrix a) {
    for (double& value : a.data_) value *= factor;
    return a;
  }
  friend Matrix operator-(const Matrix& a, const Matrix& b) { return a + (-1.0) * b; }
  friend Matrix operator*(const Matrix& a, const Matrix& b) {
    Matrix c(a.rows_, b.cols_);
    for (std::size_t i = 0; i < a.rows_; ++i) {
      for (std::size_t k = 0; k < a.cols_; ++k) {
        for (std::size_t j = 0; j < b.cols_; ++j) c(i, j) += a(i, k) * b(k, j);
      }
    }
    return c;
  }

 private:
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::vector<double> data_;
};

// Solves a x = b by elimination with row pivoting. An unknown with a pivot below `smallest` becomes zero,
// which gives one solution of a consistent singular system.
inline Matrix solve(Matrix a, Matrix b, double smallest = 0) {
  const std::size_t n = a.rows();
  std::vector<bool> used(n, false);
  std::vector<std::size_t> pivot_row(n, n);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = n;
    for (std::size_t i = 0; i < n; ++i) {
      if (!used[i] && (best == n || std::abs(a(i, k)) > std::abs(a(best, k)))) best = i;
    }
    if (best == n || !(std::abs(a(best, k)) > smallest)) continue;
    used[best] = true;
    pivot_row[k] = best;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == best) continue;
      const double factor = a(i, k) / a(best, k);
      for (std::size_t j = k; j < n; ++j) a(i, j) -= factor * a(best, j);
      for (std::size_t j = 0; j < b.cols(); ++j) b(i, j) -= factor * b(best, j);
    }
  }
  Matrix x(n, b.cols());
  for (std::size_t k = 0; k < n; ++k) {
    if (pivot_row[k] == n) continue;
    for (std::size_t j = 0; j < b.cols(); ++j) x(k, j) = b(pivot_row[k], j) / a(pivot_row[k], k);
  }
  return x;
}

inline Matrix inverse(const Matrix& a) { return solve(a, Matrix::identity(a.rows())); }

// Eigenvalues (ascending) and orthonormal eigenvectors (columns) of a symmetric matrix: cyclic Jacobi.
struct SymmetricEigen {
  std::vector<double> values;
  Matrix vectors;
};

inline SymmetricEigen symmetric_eigen(Matrix a) {
  const std::size_t n = a.rows();
  Matrix v = Matrix::identity(n);
  for (int sweep = 0; sweep < 60; ++sweep) {
    double off = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) off += a(i, j) * a(i, j);
    }
    if (off == 0 || std::sqrt(off) < 1e-18 * a.norm()) break;
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        if (a(p, q) == 0) continue;
        const double theta = 0.5 * std::atan2(2 * a(p, q), a(q, q) - a(p, p));
        const double c = std::cos(theta);
        const double s = std::sin(theta);
        const auto rotate = [c, s](double& x, double& y) {
          const double kept = c * x - s * y;
          y = s * x + c * y;
          x = kept;
        };
        for (std::size_t k = 0; k < n; ++k) rotate(a(k, p), a(k, q));
        for (std::size_t k = 0; k < n; ++k) rotate(a(p, k), a(q, k));
        for (std::size_t k = 0; k < n; ++k) rotate(v(k, p), v(k, q));
      }
    }
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return a(i, i) < a(j, j); });
  SymmetricEigen result{std::vector<double>(n), Matrix(n, n)};
  for (std::size_t k = 0; k < n; ++k) {
    result.values[k] = a(order[k], order[k]);
    result.vectors.set_column(k, v.column(order[k]));
  }
  return result;
}

}  // namespace gcan::detail
