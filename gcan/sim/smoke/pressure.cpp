#include "gcan/sim/smoke/pressure.h"

#include <algorithm>

#include "gcan/sim/angles.h"

namespace gcan::sim::smoke {
namespace {

// The number of systems eliminated side by side: each is a long chain of dependent operations, but together
// they fill the SIMD lanes.
constexpr int kLines = 8;

// Pivots of Gauss elimination of the matrix with -1 beside the diagonal b_y: d_0 = b_0, d_y = b_y -
// 1/d_(y-1). For k = 0 the matrix is singular (pressure is fixed up to a constant) and its last pivot is
// exactly 0; taking 0 for its inverse sets the last unknown to zero.
double inverse_pivot(int y, int cells, double eigenvalue, double previous_inverse) {
  const double diagonal = (y == 0 || y == cells - 1 ? 1 : 2) + eigenvalue;
  const double pivot = y == 0 ? diagonal : diagonal - previous_inverse;
  return pivot == 0 ? 0 : 1 / pivot;
}

}  // namespace

template <class Real>
PressureSolver<Real>::PressureSolver(int cells) : cells_(cells), cosine_(cells), field_(cells, cells) {
  const int groups = (cells + kLines - 1) / kLines;
  inverse_pivot_.resize(static_cast<std::size_t>(groups) * static_cast<std::size_t>(cells * kLines));
  lines_.resize(static_cast<std::size_t>(cells * kLines));
  for (int k = 0; k < cells; ++k) {
    const double sine = sin_pi(k, 2 * cells);
    double inverse = 0;
    for (int y = 0; y < cells; ++y) {
      inverse = inverse_pivot(y, cells, 4 * sine * sine, inverse);
      inverse_pivot_[static_cast<std::size_t>((k / kLines * cells + y) * kLines + k % kLines)] =
          static_cast<Real>(inverse);
    }
  }
}

template <class Real>
void PressureSolver<Real>::solve_lines(Field<Real>& spectrum) {
  for (int k0 = 0; k0 < cells_; k0 += kLines) {
    const Real* pivots = inverse_pivot_.data() + static_cast<std::ptrdiff_t>(k0) * cells_;
    const int lines = std::min(kLines, cells_ - k0);
    for (int l = 0; l < lines; ++l)
      for (int y = 0; y < cells_; ++y)
        lines_[static_cast<std::size_t>(y * kLines + l)] = -spectrum(k0 + l, y);
    Real carry[kLines] = {};
    for (int y = 0; y < cells_; ++y) {
      const Real* pivot = pivots + y * kLines;
      Real* line = lines_.data() + y * kLines;
      for (int l = 0; l < kLines; ++l) line[l] = carry[l] = (line[l] + carry[l]) * pivot[l];
    }
    std::fill_n(carry, kLines, Real(0));
    for (int y = cells_ - 1; y >= 0; --y) {
      const Real* pivot = pivots + y * kLines;
      Real* line = lines_.data() + y * kLines;
      for (int l = 0; l < kLines; ++l) line[l] = carry[l] = line[l] + pivot[l] * carry[l];
    }
    for (int l = 0; l < lines; ++l)
      for (int y = 0; y < cells_; ++y) spectrum(k0 + l, y) = lines_[static_cast<std::size_t>(y * kLines + l)];
  }
}

template <class Real>
void PressureSolver<Real>::solve(Field<Real>& field) {
  cosine_.forward(field.row(0), cells_);
  // The mean over the box is the mean of the wavenumber 0.
  Real sum = 0;
  for (int y = 0; y < cells_; ++y) sum += field(0, y);
  for (int y = 0; y < cells_; ++y) field(0, y) -= sum / static_cast<Real>(cells_);
  solve_lines(field);
  cosine_.inverse(field.row(0), cells_);
}

template <class Real>
void PressureSolver<Real>::project(State<Real>& state) {
  outflow(state, field_);
  solve(field_);
  for (int i = 0; i < cells_; ++i) {
    const Real* q = field_.row(i);
    Real* v = state.velocity_y.row(i + 1);
    for (int j = 1; j < cells_; ++j) v[j] -= q[j] - q[j - 1];
    if (i == 0) continue;
    const Real* left = field_.row(i - 1);
    Real* u = state.velocity_x.row(i) + 1;
    for (int j = 0; j < cells_; ++j) u[j] -= q[j] - left[j];
  }
}

template class PressureSolver<float>;
template class PressureSolver<double>;

}  // namespace gcan::sim::smoke
