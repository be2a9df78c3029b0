#include "gcan/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gcan/sim/shallow_water/fluxes.cpp"
// Highway in this order: foreach_target includes this file once per instruction set.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstddef>

#include "gcan/sim/shallow_water/fluxes.h"

HWY_BEFORE_NAMESPACE();
namespace gcan::sim::shallow_water::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
void products(const BandGeometry<T>& geometry, int longitudes, T* const rows[5]) {
  const hn::ScalableTag<T> d;
  const auto half = hn::Set(d, T(0.5));
  for (int lane = 0; lane < kLine<T>; lane += static_cast<int>(hn::Lanes(d))) {
    const auto f_north = hn::Load(d, geometry.coriolis.data() + lane);
    const auto inverse_cos2 = hn::Load(d, geometry.inverse_cos2.data() + lane);
    for (int i = 0; i < 2 * longitudes; ++i) {
      const auto f = i % 2 == 0 ? f_north : hn::Neg(f_north);
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) * kLine<T> + lane;
      const auto vorticity = hn::Add(hn::Load(d, rows[0] + at), f);
      const auto depth = hn::Add(hn::Load(d, rows[1] + at), hn::Load(d, geometry.rest_depth.data() + at));
      const auto u = hn::Load(d, rows[2] + at);
      const auto v = hn::Load(d, rows[3] + at);
      const auto u_scaled = hn::Mul(u, inverse_cos2);
      const auto v_scaled = hn::Mul(v, inverse_cos2);
      hn::Store(hn::Mul(vorticity, u_scaled), d, rows[0] + at);
      hn::Store(hn::Mul(vorticity, v_scaled), d, rows[1] + at);
      hn::Store(hn::Mul(depth, u_scaled), d, rows[2] + at);
      hn::Store(hn::Mul(depth, v_scaled), d, rows[3] + at);
      hn::Store(hn::Mul(half, hn::MulAdd(u, u_scaled, hn::Mul(v, v_scaled))), d, rows[4] + at);
    }
  }
}

void products_float(const BandGeometry<float>& geometry, int longitudes, float* const* rows) {
  products(geometry, longitudes, rows);
}
void products_double(const BandGeometry<double>& geometry, int longitudes, double* const* rows) {
  products(geometry, longitudes, rows);
}

}  // namespace gcan::sim::shallow_water::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gcan::sim::shallow_water {

HWY_EXPORT(products_float);
HWY_EXPORT(products_double);

void fluxes(const BandGeometry<float>& geometry, int longitudes, float* const rows[5]) {
  HWY_DYNAMIC_DISPATCH(products_float)(geometry, longitudes, rows);
}
void fluxes(const BandGeometry<double>& geometry, int longitudes, double* const rows[5]) {
  HWY_DYNAMIC_DISPATCH(products_double)(geometry, longitudes, rows);
}

}  // namespace gcan::sim::shallow_water
#endif
