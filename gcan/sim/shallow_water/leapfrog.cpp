#include "gcan/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gcan/sim/shallow_water/leapfrog.cpp"
// Highway in this order: foreach_target includes this file once per instruction set.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstddef>

#include "gcan/sim/shallow_water/leapfrog.h"

HWY_BEFORE_NAMESPACE();
namespace gcan::sim::shallow_water::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
using Vec = hn::Vec<hn::ScalableTag<T>>;

// new = X1 + step t, filter, store; returns new.
template <typename T>
HWY_INLINE Vec<T> update(const StepCoefficients<T>& c, Vec<T> tendency, T* x1, T* x2) {
  const hn::ScalableTag<T> d;
  const auto oldest = hn::Load(d, x1);
  const auto next = hn::MulAdd(hn::Set(d, c.step), tendency, oldest);
  if (c.starting) {
    hn::Store(next, d, x2);
    return next;
  }
  const auto middle = hn::Load(d, x2);
  const auto delta = hn::Add(hn::Sub(oldest, hn::Add(middle, middle)), next);
  hn::Store(hn::MulAdd(hn::Set(d, c.filter_old), delta, middle), d, x1);
  hn::Store(hn::NegMulAdd(hn::Set(d, c.filter_new), delta, next), d, x2);
  return next;
}

template <typename T>
LevelNorms step(const SpectralLayout& layout, const StepCoefficients<T>& c, const StepInputs<T>& in,
                Level<T>& x1, Level<T>& x2) {
  const hn::ScalableTag<T> d;
  const std::ptrdiff_t size = layout.size;
  const auto depth = hn::Set(d, c.mean_depth);
  const auto xi = hn::Set(d, c.implicit_step);
  const Tendencies<T>& t = *in.tendencies;
  auto vorticity_sum = hn::Zero(d);
  auto divergence_sum = hn::Zero(d);
  auto eta_sum = hn::Zero(d);
  for (std::ptrdiff_t i = 0; i < 2 * size; i += static_cast<std::ptrdiff_t>(hn::Lanes(d))) {
    const std::ptrdiff_t row = i < size ? i : i - size;
    const auto gravity = hn::Load(d, c.gravity.data() + row);
    const auto damping = hn::Load(d, c.damping.data() + row);
    const auto undamped = hn::Load(d, c.undamped.data() + row);
    const auto eta1 = hn::Load(d, x1.eta.re() + i);
    const auto divergence1 = hn::Load(d, x1.divergence.re() + i);
    const auto divergence2 = hn::Load(d, x2.divergence.re() + i);

    // N_D - g lap (eta1 - eta2) with N_D = curl - lap (kinetic + g eta2): eta2 drops out.
    auto divergence_rate = hn::Load(d, t.vorticity_curl.re() + i);
    divergence_rate =
        hn::NegMulAdd(hn::Load(d, c.laplace.data() + row), hn::Load(d, t.kinetic.re() + i), divergence_rate);
    divergence_rate = hn::NegMulAdd(gravity, eta1, divergence_rate);
    auto eta_rate = hn::NegMulAdd(depth, hn::Sub(divergence1, divergence2),
                                  hn::Neg(hn::Load(d, t.mass_divergence.re() + i)));
    if (in.target != nullptr) {
      const auto away = hn::Sub(hn::Load(d, in.target->re() + i), eta1);
      eta_rate = hn::MulAdd(hn::Load(d, c.relaxation.data() + row), away, eta_rate);
    }
    divergence_rate = hn::NegMulAdd(hn::Mul(xi, gravity), eta_rate, divergence_rate);
    divergence_rate = hn::Mul(divergence_rate, hn::Load(d, c.implicit.data() + row));
    eta_rate = hn::NegMulAdd(hn::Mul(xi, depth), divergence_rate, eta_rate);
    divergence_rate = hn::Mul(hn::NegMulAdd(damping, divergence1, divergence_rate), undamped);

    auto vorticity_rate = hn::Neg(hn::Load(d, t.vorticity_divergence.re() + i));
    if (in.forcing != nullptr) vorticity_rate = hn::Add(vorticity_rate, hn::Load(d, in.forcing->re() + i));
    vorticity_rate =
        hn::Mul(hn::NegMulAdd(damping, hn::Load(d, x1.vorticity.re() + i), vorticity_rate), undamped);

    const auto new_vorticity = update<T>(c, vorticity_rate, x1.vorticity.re() + i, x2.vorticity.re() + i);
    const auto new_divergence = update<T>(c, divergence_rate, x1.divergence.re() + i, x2.divergence.re() + i);
    const auto new_eta = update<T>(c, eta_rate, x1.eta.re() + i, x2.eta.re() + i);
    vorticity_sum = hn::MulAdd(new_vorticity, new_vorticity, vorticity_sum);
    divergence_sum = hn::MulAdd(new_divergence, new_divergence, divergence_sum);
    eta_sum = hn::MulAdd(new_eta, new_eta, eta_sum);
  }
  const auto total = [&](Vec<T> sum)
                         HWY_ATTR { return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum))); };
  return {total(vorticity_sum), total(divergence_sum), total(eta_sum)};
}

LevelNorms step_float(const SpectralLayout& layout, const StepCoefficients<float>& c,
                      const StepInputs<float>& in, Level<float>& x1, Level<float>& x2) {
  return step(layout, c, in, x1, x2);
}
LevelNorms step_double(const SpectralLayout& layout, const StepCoefficients<double>& c,
                       const StepInputs<double>& in, Level<double>& x1, Level<double>& x2) {
  return step(layout, c, in, x1, x2);
}

}  // namespace gcan::sim::shallow_water::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gcan::sim::shallow_water {

HWY_EXPORT(step_float);
HWY_EXPORT(step_double);

LevelNorms leapfrog(const SpectralLayout& layout, const StepCoefficients<float>& coefficients,
                    const StepInputs<float>& inputs, Level<float>& old_level, Level<float>& new_level) {
  return HWY_DYNAMIC_DISPATCH(step_float)(layout, coefficients, inputs, old_level, new_level);
}
LevelNorms leapfrog(const SpectralLayout& layout, const StepCoefficients<double>& coefficients,
                    const StepInputs<double>& inputs, Level<double>& old_level, Level<double>& new_level) {
  return HWY_DYNAMIC_DISPATCH(step_double)(layout, coefficients, inputs, old_level, new_level);
}

}  // namespace gcan::sim::shallow_water
#endif
