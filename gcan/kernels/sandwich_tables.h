#pragma once

// The sandwiches that sandwich.cpp unrolls at compile time: rotors on vectors and motors on points.

#include "gcan/algebra/blade_set.h"
#include "gcan/algebra/sandwich_plan.h"

namespace gcan::kernels {

template <Signature S, BladeSet Actions, BladeSet Objects, BladeSet Constants>
struct FixedSandwich {
  static constexpr auto kActions = kOrderedBlades<S, Actions>;
  static constexpr auto kObjects = kOrderedBlades<S, Objects>;
  static constexpr auto kConstants = kOrderedBlades<S, Constants>;

  template <auto Inputs>
  static constexpr auto kTermsOf = [] {
    constexpr std::size_t size = sandwich_terms(S, kActions, Inputs, kObjects).size();
    std::array<SandwichTerm, size> terms{};
    std::ranges::copy(sandwich_terms(S, kActions, Inputs, kObjects), terms.begin());
    return terms;
  }();
  static constexpr auto kTerms = kTermsOf<kObjects>;
  static constexpr auto kConstantTerms = kTermsOf<kConstants>;
  static constexpr auto kNormSigns = [] {
    std::array<int, kActions.size()> signs{};
    for (std::size_t i = 0; i < signs.size(); ++i) signs[i] = norm_sign(S, kActions[i]);
    return signs;
  }();

  // Whether a plan is this sandwich, its blades in this order.
  static bool matches(const SandwichPlan::Blades& b) {
    return b.algebra.signature() == S && std::ranges::equal(b.actions, kActions) &&
           std::ranges::equal(b.inputs, kObjects) && std::ranges::equal(b.outputs, kObjects) &&
           std::ranges::equal(b.constants, kConstants);
  }
};

template <Signature S>
using RotorsOnVectors = FixedSandwich<S, even_blades(S), grade_blades(S, 1), BladeSet{}>;

// Points are (n-1)-vectors; the blade without the null vector e0 is the homogeneous weight, a constant.
template <Signature S>
using MotorsOnPoints =
    FixedSandwich<S, even_blades(S),
                  blades_where(S, [](Blade b) { return grade(b) == S.dimension() - 1 && (b & 1) != 0; }),
                  single_blade(S.pseudoscalar() ^ 1)>;

}  // namespace gcan::kernels
