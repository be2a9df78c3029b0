#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace gcan::sim::smoke {

// A matrix of numbers, rows one after another.
template <class Real>
class Field {
 public:
  Field() = default;
  Field(int rows, int columns)
      : rows_(rows),
        columns_(columns),
        values_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns)) {}

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  std::span<Real> values() & { return values_; }
  std::span<const Real> values() const& { return values_; }
  void values() && = delete;  // the span would dangle
  Real* row(int i) { return values_.data() + static_cast<std::ptrdiff_t>(i) * columns_; }
  const Real* row(int i) const { return values_.data() + static_cast<std::ptrdiff_t>(i) * columns_; }
  Real& operator()(int i, int j) { return row(i)[j]; }
  const Real& operator()(int i, int j) const { return row(i)[j]; }

 private:
  int rows_ = 0, columns_ = 0;
  std::vector<Real> values_;
};

// Smoke and velocity on the staggered (marker-and-cell) grid of N x N cells; x is the first index, y, the
// direction of buoyancy, the second. Both velocity arrays carry one layer of zeros around the interior faces:
// on the walls (the faces 0 and N across the component's own direction) and half a cell outside them (along
// the other direction). Stencils and look-ups read that layer; nothing writes it.
template <class Real>
struct State {
  explicit State(int n) : cells(n), smoke(n, n), velocity_x(n + 1, n + 2), velocity_y(n + 2, n + 1) {}

  int cells;
  Field<Real> smoke;       // at (i+1/2, j+1/2) dx
  Field<Real> velocity_x;  // row i, column j+1: at (i, j+1/2) dx       [m/s]
  Field<Real> velocity_y;  // row i+1, column j: at (i+1/2, j) dx       [m/s]

  // Velocity through the left (x) face i = 0..N of the cells in line j, and through the lower (y) face
  // j = 0..N of the cells in line i.
  Real& u(int i, int j) { return velocity_x(i, j + 1); }
  Real u(int i, int j) const { return velocity_x(i, j + 1); }
  Real& v(int i, int j) { return velocity_y(i + 1, j); }
  Real v(int i, int j) const { return velocity_y(i + 1, j); }
};

// The faces i, j = 0..N-1 as N x N arrays, the last wall dropped: how the public data set stores velocity.
template <class Real, class Out>
void copy_left_faces(const State<Real>& state, std::span<Out> out) {
  for (int i = 0, k = 0; i < state.cells; ++i)
    for (int j = 0; j < state.cells; ++j)
      out[static_cast<std::size_t>(k++)] = static_cast<Out>(state.u(i, j));
}
template <class Real, class Out>
void copy_lower_faces(const State<Real>& state, std::span<Out> out) {
  for (int i = 0, k = 0; i < state.cells; ++i)
    for (int j = 0; j < state.cells; ++j)
      out[static_cast<std::size_t>(k++)] = static_cast<Out>(state.v(i, j));
}

// Net outflow of each cell times dx: u(i+1,j) - u(i,j) + v(i,j+1) - v(i,j), into an N x N field [m/s].
template <class Real>
void outflow(const State<Real>& state, Field<Real>& out) {
  for (int i = 0; i < state.cells; ++i) {
    const Real* left = state.velocity_x.row(i) + 1;
    const Real* right = state.velocity_x.row(i + 1) + 1;
    const Real* y_faces = state.velocity_y.row(i + 1);
    Real* result = out.row(i);
    for (int j = 0; j < state.cells; ++j) result[j] = (right[j] - left[j]) + (y_faces[j + 1] - y_faces[j]);
  }
}

}  // namespace gcan::sim::smoke
