#include "gcan/sim/smoke/advection.h"

#include "gcan/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gcan/sim/smoke/advection.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Compiled once per instruction set and chosen at run time. Without fused multiply-add and sums across lanes,
// every instruction set gives the same bits.
HWY_BEFORE_NAMESPACE();
namespace gcan::sim::smoke {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// At most 8 lanes: the shortest line (15 faces) contains a whole vector, and wider gathers are no faster.
template <class Real>
using Tag = hn::CappedTag<Real, 8>;
template <class Real>
using Vec = hn::Vec<Tag<Real>>;

// The rows and columns of a component's array that are advected.
struct Interior {
  int first_row, rows, first_column, columns;
};

// The four values around a vector of positions and the fractions between them.
template <class Real>
struct Corners {
  Vec<Real> v00, v01, v10, v11, row_fraction, column_fraction;
};

// Clamps x to [0, high] by comparisons instead of Max/Min, so that NaN becomes 0 on every instruction set and
// the resulting index is always inside the array.
template <class Real>
HWY_INLINE Vec<Real> clamped(Vec<Real> x, Real high) {
  const Tag<Real> d;
  const auto top = hn::Set(d, high);
  x = hn::IfThenElseZero(hn::Ge(x, hn::Zero(d)), x);
  return hn::IfThenElse(hn::Lt(x, top), x, top);
}

template <class Real>
HWY_INLINE Corners<Real> corners(const Field<Real>& field, Vec<Real> row, Vec<Real> column) {
  const Tag<Real> d;
  const hn::RebindToSigned<Tag<Real>> di;
  row = clamped<Real>(row, static_cast<Real>(field.rows() - 1));
  column = clamped<Real>(column, static_cast<Real>(field.columns() - 1));
  // The last line uses the cell before it, with fraction 1.
  const auto row0 = hn::Min(hn::Floor(row), hn::Set(d, static_cast<Real>(field.rows() - 2)));
  const auto column0 = hn::Min(hn::Floor(column), hn::Set(d, static_cast<Real>(field.columns() - 2)));
  // Exact also in float: fewer than 2^24 numbers (Options::cells <= 2048).
  const auto index =
      hn::ConvertTo(di, hn::Add(hn::Mul(row0, hn::Set(d, static_cast<Real>(field.columns()))), column0));
  const Real* line0 = field.row(0);
  const Real* line1 = field.row(1);
  return {hn::GatherIndex(d, line0, index),
          hn::GatherIndex(d, line0 + 1, index),
          hn::GatherIndex(d, line1, index),
          hn::GatherIndex(d, line1 + 1, index),
          hn::Sub(row, row0),
          hn::Sub(column, column0)};
}

// a + f (b - a), 0 <= f <= 1: exactly a where b = a or f = 0, and never negative for a, b >= 0, since
// rounding is monotone and so f (b - a) >= -a. f = 1 occurs on the last line only and must give b: rest stays
// rest.
template <class Real>
HWY_INLINE Vec<Real> mix(Vec<Real> a, Vec<Real> b, Vec<Real> f) {
  const Tag<Real> d;
  return hn::IfThenElse(hn::Lt(f, hn::Set(d, Real(1))), hn::Add(a, hn::Mul(f, hn::Sub(b, a))), b);
}

template <class Real>
HWY_INLINE Vec<Real> bilinear(const Corners<Real>& c) {
  return mix<Real>(mix<Real>(c.v00, c.v01, c.column_fraction), mix<Real>(c.v10, c.v11, c.column_fraction),
                   c.row_fraction);
}

// Calls body(offset) for vectors that cover 0..count-1, count >= lanes: the last one overlaps its
// predecessor, which writes some values twice instead of handling a remainder.
template <class Real, class Body>
HWY_INLINE void for_each_vector(int count, const Body& body) {
  const int lanes = static_cast<int>(hn::Lanes(Tag<Real>()));
  for (int j = 0; j < count; j += lanes) body(j + lanes <= count ? j : count - lanes);
}

template <class Real>
void look_up_row(const Field<Real>& field, int row, int first_column, int count, const Real* dx,
                 const Real* dy, Real* out) {
  const Tag<Real> d;
  for_each_vector<Real>(count, [&](int j) HWY_ATTR {
    const auto x = hn::Sub(hn::Set(d, static_cast<Real>(row)), hn::LoadU(d, dx + j));
    const auto y = hn::Sub(hn::Iota(d, static_cast<Real>(first_column + j)), hn::LoadU(d, dy + j));
    hn::StoreU(bilinear<Real>(corners<Real>(field, x, y)), d, out + j);
  });
}

template <class Real>
void correct_row(const Field<Real>& old, const Field<Real>& moved, int row, int first_column, int count,
                 const Real* dx, const Real* dy, Real* out) {
  const Tag<Real> d;
  for_each_vector<Real>(count, [&](int j) HWY_ATTR {
    const auto x = hn::Set(d, static_cast<Real>(row));
    const auto y = hn::Iota(d, static_cast<Real>(first_column + j));
    const auto reach_x = hn::LoadU(d, dx + j), reach_y = hn::LoadU(d, dy + j);
    const auto back = bilinear<Real>(corners<Real>(moved, hn::Add(x, reach_x), hn::Add(y, reach_y)));
    const auto before = hn::LoadU(d, old.row(row) + first_column + j);
    const auto after = hn::LoadU(d, moved.row(row) + first_column + j);
    const auto corrected = hn::Add(after, hn::Mul(hn::Set(d, Real(0.5)), hn::Sub(before, back)));
    const auto c = corners<Real>(old, hn::Sub(x, reach_x), hn::Sub(y, reach_y));
    const auto low = hn::Min(hn::Min(c.v00, c.v01), hn::Min(c.v10, c.v11));
    const auto high = hn::Max(hn::Max(c.v00, c.v01), hn::Max(c.v10, c.v11));
    hn::StoreU(hn::Min(hn::Max(corrected, low), high), d, out + j);
  });
}

// The displacement, in cells, of a row of each component's points: velocity interpolated there, times reach.
template <class Real>
void displace_smoke(const State<Real>& s, int row, Real reach, Real* dx, Real* dy) {
  const Real* left = s.velocity_x.row(row) + 1;
  const Real* right = s.velocity_x.row(row + 1) + 1;
  const Real* y_faces = s.velocity_y.row(row + 1);
  for (int j = 0; j < s.cells; ++j) {
    dx[j] = reach * (Real(0.5) * (left[j] + right[j]));
    dy[j] = reach * (Real(0.5) * (y_faces[j] + y_faces[j + 1]));
  }
}

template <class Real>
void displace_x_faces(const State<Real>& s, int row, Real reach, Real* dx, Real* dy) {
  const Real* own = s.velocity_x.row(row) + 1;
  const Real* below = s.velocity_y.row(row);
  const Real* above = s.velocity_y.row(row + 1);
  for (int j = 0; j < s.cells; ++j) {
    dx[j] = reach * own[j];
    dy[j] = reach * (Real(0.25) * ((below[j] + below[j + 1]) + (above[j] + above[j + 1])));
  }
}

template <class Real>
void displace_y_faces(const State<Real>& s, int row, Real reach, Real* dx, Real* dy) {
  const Real* own = s.velocity_y.row(row) + 1;
  const Real* left = s.velocity_x.row(row - 1) + 1;
  const Real* right = s.velocity_x.row(row) + 1;
  for (int j = 0; j + 1 < s.cells; ++j) {
    dx[j] = reach * (Real(0.25) * ((left[j] + left[j + 1]) + (right[j] + right[j + 1])));
    dy[j] = reach * own[j];
  }
}

// Calls visit(old field, scratch field, moved field, interior, displacement) for the three components.
template <class Real, class PerComponent>
void for_each_component(const State<Real>& old, State<Real>& scratch, State<Real>& moved,
                        const PerComponent& visit) {
  const int n = old.cells;
  visit(old.smoke, scratch.smoke, moved.smoke, Interior{0, n, 0, n}, displace_smoke<Real>);
  visit(old.velocity_x, scratch.velocity_x, moved.velocity_x, Interior{1, n - 1, 1, n},
        displace_x_faces<Real>);
  visit(old.velocity_y, scratch.velocity_y, moved.velocity_y, Interior{1, n, 1, n - 1},
        displace_y_faces<Real>);
}

template <class Real>
void advect_all(Advection scheme, const State<Real>& old, Real reach, State<Real>& scratch,
                State<Real>& moved) {
  HWY_ALIGN Real dx[2048], dy[2048];  // a row of the largest grid
  for_each_component(
      old, scratch, moved,
      [&](const Field<Real>& from, Field<Real>& middle, Field<Real>& to, Interior in, auto displace) {
        const bool correct = scheme == Advection::mac_cormack;
        Field<Real>& first = correct ? middle : to;
        for (int i = in.first_row; i < in.first_row + in.rows; ++i) {
          displace(old, i, reach, dx, dy);
          look_up_row(from, i, in.first_column, in.columns, dx, dy, first.row(i) + in.first_column);
        }
        if (!correct) return;
        for (int i = in.first_row; i < in.first_row + in.rows; ++i) {
          displace(old, i, reach, dx, dy);
          correct_row(from, first, i, in.first_column, in.columns, dx, dy, to.row(i) + in.first_column);
        }
      });
}

void advect_float(Advection scheme, const State<float>& old, float reach, State<float>& scratch,
                  State<float>& moved) {
  advect_all(scheme, old, reach, scratch, moved);
}
void advect_double(Advection scheme, const State<double>& old, double reach, State<double>& scratch,
                   State<double>& moved) {
  advect_all(scheme, old, reach, scratch, moved);
}

}  // namespace HWY_NAMESPACE
}  // namespace gcan::sim::smoke
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gcan::sim::smoke {

HWY_EXPORT(advect_float);
HWY_EXPORT(advect_double);

template <>
void advect(Advection scheme, const State<float>& old, float reach, State<float>& scratch,
            State<float>& moved) {
  HWY_DYNAMIC_DISPATCH(advect_float)(scheme, old, reach, scratch, moved);
}
template <>
void advect(Advection scheme, const State<double>& old, double reach, State<double>& scratch,
            State<double>& moved) {
  HWY_DYNAMIC_DISPATCH(advect_double)(scheme, old, reach, scratch, moved);
}

}  // namespace gcan::sim::smoke
#endif
