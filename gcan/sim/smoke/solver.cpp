#include "gcan/sim/smoke/solver.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "gcan/sim/smoke/advection.h"
#include "gcan/sim/smoke/buoyancy.h"
#include "gcan/sim/smoke/diffusion.h"

namespace gcan::sim::smoke {
namespace {

const Options& validated(const Options& options) {
  validate(options);
  return options;
}

// Infinity and NaN have all exponent bits set, so that adding one to the exponent carries into the sign
// bit; integer operations without a branch, which compilers vectorise.
template <class Real>
bool all_finite(std::span<const Real> values) {
  using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits kExponent = std::bit_cast<Bits>(std::numeric_limits<Real>::infinity());
  constexpr Bits kOne = kExponent & (~kExponent + 1);
  Bits carry = 0;
  for (const Real x : values) carry |= (std::bit_cast<Bits>(x) & kExponent) + kOne;
  return carry >> (8 * sizeof(Real) - 1) == 0;
}

}  // namespace

template <class Real>
Solver<Real>::Solver(const Options& options)
    : options_(validated(options)),
      pressure_(options.cells),
      moved_(options.cells),
      scratch_(options.cells) {}

template <class Real>
void Solver<Real>::diffuse_velocity(Field<Real>& in, Field<Real>& out) const {
  const double dx = options_.dx();
  const double number = options_.viscosity * options_.time_step / (options_.diffusion_substeps * dx * dx);
  for (int i = 0; i < options_.diffusion_substeps; ++i) {
    if (i > 0) std::swap(in, out);
    diffuse(in, static_cast<Real>(number), out);
  }
}

template <class Real>
void Solver<Real>::step(State<Real>& state) {
  advect(options_.advection, state, static_cast<Real>(options_.time_step / options_.dx()), scratch_, moved_);
  add_buoyancy(moved_, static_cast<Real>(options_.time_step * options_.buoyancy));
  std::swap(state.smoke, moved_.smoke);
  diffuse_velocity(moved_.velocity_x, state.velocity_x);
  diffuse_velocity(moved_.velocity_y, state.velocity_y);
  pressure_.project(state);
}

template <class Real>
const char* non_finite_field(const State<Real>& state) {
  if (!all_finite(state.smoke.values())) return "smoke";
  if (!all_finite(state.velocity_x.values())) return "velocity in x";
  if (!all_finite(state.velocity_y.values())) return "velocity in y";
  return nullptr;
}

template class Solver<float>;
template class Solver<double>;
template const char* non_finite_field(const State<float>&);
template const char* non_finite_field(const State<double>&);

}  // namespace gcan::sim::smoke
