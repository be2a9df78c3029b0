#include "gcan/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gcan/sim/shallow_water/wind.cpp"
// Highway in this order: foreach_target includes this file once per instruction set.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstddef>

#include "gcan/sim/shallow_water/legendre.h"
#include "gcan/sim/shallow_water/wind.h"

HWY_BEFORE_NAMESPACE();
namespace gcan::sim::shallow_water::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls body(at, below, above) for each vector of coefficients with the places of degrees l, l-1 and l+1.
// Where a neighbour does not exist the place is some other element of the same order, whose factor is zero.
template <typename T, class Body>
HWY_INLINE void for_each_vector(const SpectralLayout& layout, const Body& body) {
  const auto lanes = static_cast<int>(hn::Lanes(hn::ScalableTag<T>()));
  for (std::size_t m = 0; m < layout.offset.size(); ++m) {
    const int even = layout.offset[m];
    const int odd = even + layout.run[m];
    for (int j = 0; j < layout.run[m]; j += lanes) {
      body(even + j, odd + j - 1, odd + j);
      body(odd + j, even + j, even + j + 1);
    }
  }
}

template <typename T>
void wind(const SpectralLayout& layout, const WindOperators<T>& op, const T* vorticity, const T* divergence,
          T* result) {
  const hn::ScalableTag<T> d;
  const std::ptrdiff_t size = layout.size;
  for_each_vector<T>(layout, [&](int at, int below, int above) HWY_ATTR {
    const auto order = hn::Load(d, op.wind_order.data() + at);
    const auto up = hn::Load(d, op.wind_above.data() + at);
    const auto down = hn::Load(d, op.wind_below.data() + at);
    // a = -i order p + up q_above - down q_below, for (p, q) = (D, zeta), and with the opposite sign of q
    // for (zeta, D).
    const auto part = [&](std::ptrdiff_t own, std::ptrdiff_t other) HWY_ATTR {
      const auto zeta = hn::MulSub(up, hn::LoadU(d, vorticity + own * size + above),
                                   hn::Mul(down, hn::LoadU(d, vorticity + own * size + below)));
      const auto div = hn::MulSub(up, hn::LoadU(d, divergence + own * size + above),
                                  hn::Mul(down, hn::LoadU(d, divergence + own * size + below)));
      const auto turned_div = hn::Mul(order, hn::Load(d, divergence + other * size + at));
      const auto turned_zeta = hn::Mul(order, hn::Load(d, vorticity + other * size + at));
      if (own == 0) {
        hn::Store(hn::Add(zeta, turned_div), d, result + at);
        hn::Store(hn::Sub(turned_zeta, div), d, result + 2 * size + at);
      } else {
        hn::Store(hn::Sub(zeta, turned_div), d, result + size + at);
        hn::Store(hn::Neg(hn::Add(turned_zeta, div)), d, result + 3 * size + at);
      }
    };
    part(0, 1);
    part(1, 0);
  });
}

template <typename T>
void flux(const SpectralLayout& layout, const WindOperators<T>& op, const T* ab, T* divergence, T* curl) {
  const hn::ScalableTag<T> d;
  const std::ptrdiff_t size = layout.size;
  const T* a = ab;
  const T* b = ab + 2 * size;
  for_each_vector<T>(layout, [&](int at, int below, int above) HWY_ATTR {
    const auto order = hn::Load(d, op.flux_order.data() + at);
    const auto up = hn::Load(d, op.flux_above.data() + at);
    const auto down = hn::Load(d, op.flux_below.data() + at);
    const auto along = [&](const T* x) HWY_ATTR {  // up x_above - down x_below
      return hn::MulSub(up, hn::LoadU(d, x + above), hn::Mul(down, hn::LoadU(d, x + below)));
    };
    hn::Store(hn::NegMulAdd(order, hn::Load(d, a + size + at), along(b)), d, divergence + at);
    hn::Store(hn::MulAdd(order, hn::Load(d, a + at), along(b + size)), d, divergence + size + at);
    if (curl == nullptr) return;
    hn::Store(hn::Neg(hn::MulAdd(order, hn::Load(d, b + size + at), along(a))), d, curl + at);
    hn::Store(hn::MulSub(order, hn::Load(d, b + at), along(a + size)), d, curl + size + at);
  });
}

void wind_float(const SpectralLayout& layout, const WindOperators<float>& op, const float* vorticity,
                const float* divergence, float* result) {
  wind(layout, op, vorticity, divergence, result);
}
void wind_double(const SpectralLayout& layout, const WindOperators<double>& op, const double* vorticity,
                 const double* divergence, double* result) {
  wind(layout, op, vorticity, divergence, result);
}
void flux_float(const SpectralLayout& layout, const WindOperators<float>& op, const float* ab,
                float* divergence, float* curl) {
  flux(layout, op, ab, divergence, curl);
}
void flux_double(const SpectralLayout& layout, const WindOperators<double>& op, const double* ab,
                 double* divergence, double* curl) {
  flux(layout, op, ab, divergence, curl);
}

}  // namespace gcan::sim::shallow_water::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gcan::sim::shallow_water {

HWY_EXPORT(wind_float);
HWY_EXPORT(wind_double);
HWY_EXPORT(flux_float);
HWY_EXPORT(flux_double);

void wind_from_vorticity_divergence(const SpectralLayout& layout, const WindOperators<float>& operators,
                                    const float* vorticity, const float* divergence, float* wind) {
  HWY_DYNAMIC_DISPATCH(wind_float)(layout, operators, vorticity, divergence, wind);
}
void wind_from_vorticity_divergence(const SpectralLayout& layout, const WindOperators<double>& operators,
                                    const double* vorticity, const double* divergence, double* wind) {
  HWY_DYNAMIC_DISPATCH(wind_double)(layout, operators, vorticity, divergence, wind);
}
void divergence_and_curl(const SpectralLayout& layout, const WindOperators<float>& operators,
                         const float* flux, float* divergence, float* curl) {
  HWY_DYNAMIC_DISPATCH(flux_float)(layout, operators, flux, divergence, curl);
}
void divergence_and_curl(const SpectralLayout& layout, const WindOperators<double>& operators,
                         const double* flux, double* divergence, double* curl) {
  HWY_DYNAMIC_DISPATCH(flux_double)(layout, operators, flux, divergence, curl);
}

template <typename T>
WindOperators<T>::WindOperators(const SpectralLayout& layout, double radius) {
  const auto size = static_cast<std::size_t>(layout.size);
  for (Array<T>* array : {&wind_order, &wind_above, &wind_below, &flux_order, &flux_above, &flux_below})
    array->assign(size, T(0));
  for (int m = 0; m <= layout.truncation; ++m) {
    for (int l = m; l <= layout.truncation + 1; ++l) {
      const auto at = static_cast<std::size_t>(layout.index(l, m));
      const double above = epsilon(l + 1, m);
      const double below = epsilon(l, m);
      if (l > 0) {
        wind_order[at] = static_cast<T>(radius * m / (l * (l + 1.0)));
        wind_below[at] = static_cast<T>(radius * below / l);
      }
      if (l < layout.truncation) wind_above[at] = static_cast<T>(radius * above / (l + 1.0));
      if (l == layout.truncation + 1) continue;
      flux_order[at] = static_cast<T>(m / radius);
      flux_above[at] = static_cast<T>(l * above / radius);
      flux_below[at] = static_cast<T>((l + 1.0) * below / radius);
    }
  }
}

template struct WindOperators<float>;
template struct WindOperators<double>;

}  // namespace gcan::sim::shallow_water
#endif
