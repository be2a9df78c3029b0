#pragma once

// A slow, pointwise second implementation of the smoke scheme, which shares only the State with the solver;
// and helpers for the smoke tests.

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "gcan/sim/smoke/state.h"

namespace gcan::sim::smoke::plain {

// A velocity component seen as an endless plane: `at` is zero outside the interior faces.
template <class At>
double look_up_zero_outside(double x, double y, double x_low, double x_high, double y_low, double y_high,
                            const At& at) {
  x = std::clamp(x, x_low, x_high);
  y = std::clamp(y, y_low, y_high);
  const int i = static_cast<int>(std::floor(x)), j = static_cast<int>(std::floor(y));
  const double fx = x - i, fy = y - j;
  return (1 - fx) * (1 - fy) * at(i, j) + fx * (1 - fy) * at(i + 1, j) + (1 - fx) * fy * at(i, j + 1) +
         fx * fy * at(i + 1, j + 1);
}

// The three fields as functions of integer positions: smoke repeats its edge, velocity is zero outside.
struct Planes {
  const State<double>& s;
  double smoke(int i, int j) const {
    return s.smoke(std::clamp(i, 0, s.cells - 1), std::clamp(j, 0, s.cells - 1));
  }
  double u(int i, int j) const { return i <= 0 || i >= s.cells || j < 0 || j >= s.cells ? 0 : s.u(i, j); }
  double v(int i, int j) const { return j <= 0 || j >= s.cells || i < 0 || i >= s.cells ? 0 : s.v(i, j); }
  double smoke_at(double x, double y) const {
    const double top = s.cells - 1;
    return look_up_zero_outside(x, y, 0, top, 0, top, [this](int i, int j) { return smoke(i, j); });
  }
  double u_at(double x, double y) const {
    return look_up_zero_outside(x, y, 0, s.cells, -1, s.cells, [this](int i, int j) { return u(i, j); });
  }
  double v_at(double x, double y) const {
    return look_up_zero_outside(x, y, -1, s.cells, 0, s.cells, [this](int i, int j) { return v(i, j); });
  }
  double v_at_u(int i, int j) const { return (v(i - 1, j) + v(i, j) + v(i - 1, j + 1) + v(i, j + 1)) / 4; }
  double u_at_v(int i, int j) const { return (u(i, j - 1) + u(i, j) + u(i + 1, j - 1) + u(i + 1, j)) / 4; }
};

// `sign` +1 looks up backward along the velocity of `flow`, -1 forward.
inline State<double> advected(const State<double>& field, const State<double>& flow, double reach,
                              int sign = 1) {
  const Planes f{field}, w{flow};
  const int n = field.cells;
  const double r = sign * reach;
  State<double> out(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      out.smoke(i, j) =
          f.smoke_at(i - r * (w.u(i, j) + w.u(i + 1, j)) / 2, j - r * (w.v(i, j) + w.v(i, j + 1)) / 2);
      if (i > 0) out.u(i, j) = f.u_at(i - r * w.u(i, j), j - r * w.v_at_u(i, j));
      if (j > 0) out.v(i, j) = f.v_at(i - r * w.u_at_v(i, j), j - r * w.v(i, j));
    }
  return out;
}

// Least and greatest of the four grid values around (x, y) clamped to [low, high].
template <class At>
double limited(double value, double x, double y, double x_low, double x_high, double y_low, double y_high,
               const At& at) {
  x = std::clamp(x, x_low, x_high);
  y = std::clamp(y, y_low, y_high);
  const int i = std::min(static_cast<int>(std::floor(x)), static_cast<int>(x_high) - 1);
  const int j = std::min(static_cast<int>(std::floor(y)), static_cast<int>(y_high) - 1);
  const auto [low, high] = std::minmax({at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)});
  return std::clamp(value, low, high);
}

inline State<double> mac_cormack(const State<double>& old, double reach) {
  const int n = old.cells;
  State<double> out = advected(old, old, reach);
  const State<double> back = advected(out, old, reach, -1);
  const Planes p{old};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      out.smoke(i, j) =
          limited(out.smoke(i, j) + (old.smoke(i, j) - back.smoke(i, j)) / 2,
                  i - reach * (p.u(i, j) + p.u(i + 1, j)) / 2, j - reach * (p.v(i, j) + p.v(i, j + 1)) / 2, 0,
                  n - 1, 0, n - 1, [&](int a, int b) { return p.smoke(a, b); });
      if (i > 0)
        out.u(i, j) =
            limited(out.u(i, j) + (old.u(i, j) - back.u(i, j)) / 2, i - reach * p.u(i, j),
                    j - reach * p.v_at_u(i, j), 0, n, -1, n, [&](int a, int b) { return p.u(a, b); });
      if (j > 0)
        out.v(i, j) = limited(out.v(i, j) + (old.v(i, j) - back.v(i, j)) / 2, i - reach * p.u_at_v(i, j),
                              j - reach * p.v(i, j), -1, n, 0, n, [&](int a, int b) { return p.v(a, b); });
    }
  return out;
}

inline void add_buoyancy(State<double>& s, double gain) {
  for (int i = 0; i < s.cells; ++i)
    for (int j = 1; j < s.cells; ++j) s.v(i, j) += gain * (s.smoke(i, j - 1) + s.smoke(i, j)) / 2;
}

inline void diffuse(State<double>& s, double number) {
  const State<double> old = s;
  const Planes p{old};
  for (int i = 0; i < s.cells; ++i)
    for (int j = 0; j < s.cells; ++j) {
      if (i > 0)
        s.u(i, j) += number * (p.u(i - 1, j) + p.u(i + 1, j) + p.u(i, j - 1) + p.u(i, j + 1) - 4 * p.u(i, j));
      if (j > 0)
        s.v(i, j) += number * (p.v(i - 1, j) + p.v(i + 1, j) + p.v(i, j - 1) + p.v(i, j + 1) - 4 * p.v(i, j));
    }
}

// Gauss elimination with partial pivoting of the dense system a x = b of b.size() unknowns.
inline std::vector<double> solve_dense(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t best = c;
    for (std::size_t r = c + 1; r < n; ++r)
      if (std::abs(a[r][c]) > std::abs(a[best][c])) best = r;
    std::swap(a[c], a[best]);
    std::swap(b[c], b[best]);
    for (std::size_t r = c + 1; r < n; ++r) {
      const double factor = a[r][c] / a[c][c];
      if (factor == 0) continue;
      for (std::size_t k = c; k < n; ++k) a[r][k] -= factor * a[c][k];
      b[r] -= factor * b[c];
    }
  }
  for (std::size_t c = n; c-- > 0;) {
    for (std::size_t k = c + 1; k < n; ++k) b[c] -= a[c][k] * b[k];
    b[c] /= a[c][c];
  }
  return b;
}

// The pressure problem as a dense matrix: sum over the neighbours inside of q(neighbour) - q(cell) = field -
// mean, with the equation of the last cell replaced by q = 0 there.
inline std::vector<double> dense_pressure(const Field<double>& field) {
  const int n = field.rows();
  const auto at = [n](int i, int j) { return static_cast<std::size_t>(i * n + j); };
  const auto count = static_cast<std::size_t>(n * n);
  double mean = 0;
  for (const double x : field.values()) mean += x / static_cast<double>(count);
  std::vector<std::vector<double>> a(count, std::vector<double>(count));
  std::vector<double> b(count);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      b[at(i, j)] = field(i, j) - mean;
      for (const auto& [k, l] : {std::pair{i - 1, j}, {i + 1, j}, {i, j - 1}, {i, j + 1}}) {
        if (k < 0 || l < 0 || k >= n || l >= n) continue;
        a[at(i, j)][at(k, l)] += 1;
        a[at(i, j)][at(i, j)] -= 1;
      }
    }
  std::fill(a.back().begin(), a.back().end(), 0.0);
  a.back().back() = 1;
  b.back() = 0;
  return solve_dense(std::move(a), std::move(b));
}

inline void project(State<double>& s) {
  const int n = s.cells;
  Field<double> field(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) field(i, j) = s.u(i + 1, j) - s.u(i, j) + s.v(i, j + 1) - s.v(i, j);
  const auto q = dense_pressure(field);
  const auto at = [n](int i, int j) { return static_cast<std::size_t>(i * n + j); };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (i > 0) s.u(i, j) -= q[at(i, j)] - q[at(i - 1, j)];
      if (j > 0) s.v(i, j) -= q[at(i, j)] - q[at(i, j - 1)];
    }
}

// Smoke in [0, 1), interior velocities in [-speed, speed), walls 0.
template <class Real>
State<Real> random_state(int cells, double speed, unsigned seed = 1) {
  std::mt19937 generator(seed);
  const auto uniform = [&] { return static_cast<double>(generator()) / 4294967296.0; };
  State<Real> state(cells);
  for (auto& s : state.smoke.values()) s = static_cast<Real>(uniform());
  for (int i = 0; i < cells; ++i)
    for (int j = 0; j < cells; ++j) {
      if (i > 0) state.u(i, j) = static_cast<Real>(speed * (2 * uniform() - 1));
      if (j > 0) state.v(i, j) = static_cast<Real>(speed * (2 * uniform() - 1));
    }
  return state;
}

template <class Real>
double largest(const Field<Real>& a) {
  double result = 0;
  for (const Real x : a.values()) result = std::max(result, static_cast<double>(std::abs(x)));
  return result;
}

template <class Real>
double largest_difference(const Field<Real>& a, const Field<Real>& b) {
  double result = 0;
  for (std::size_t i = 0; i < a.values().size(); ++i)
    result = std::max(result, static_cast<double>(std::abs(a.values()[i] - b.values()[i])));
  return result;
}

template <class Real>
double largest_difference(const State<Real>& a, const State<Real>& b) {
  return std::max({largest_difference(a.smoke, b.smoke), largest_difference(a.velocity_x, b.velocity_x),
                   largest_difference(a.velocity_y, b.velocity_y)});
}

template <class Real>
bool identical(const Field<Real>& a, const Field<Real>& b) {
  return std::ranges::equal(a.values(), b.values());
}
template <class Real>
bool identical(const State<Real>& a, const State<Real>& b) {
  return identical(a.smoke, b.smoke) && identical(a.velocity_x, b.velocity_x) &&
         identical(a.velocity_y, b.velocity_y);
}

}  // namespace gcan::sim::smoke::plain
