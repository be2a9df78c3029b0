#pragma once

// The sandwich a x ~a as a quadratic form in the action: M_yx(a) = sum over l <= r of C_yxlr a_l a_r, where M
// maps the coefficients of x to those of the result. C follows from the sign table, for any signature, action
// and object.

#include <span>
#include <vector>

#include "gcan/algebra/algebra.h"
#include "gcan/algebra/sandwich_sums.h"

namespace gcan {

// What a x a^-1 uses for a^-1.
enum class Inverse {
  // ~a, the paper's choice: the inverse of unit versors; others also scale by <a ~a>.
  reverse,
  // ~a / <a ~a>: the inverse of every versor. For a sum of versors that is not a versor, this still preserves
  // grades, unlike the true inverse. Not finite for null actions.
  exact,
  // The reverse of a / sqrt(|<a ~a>| + epsilon), times the sign of <a ~a>: finite for null actions.
  normalized,
  // (a x ~a + epsilon x) / (<a ~a> + epsilon), epsilon with the sign of <a ~a>; the identity for a = 0. The
  // convolutions released with the paper do this: they divide by sqrt(|a|^2 + epsilon), but then take the
  // formula for unit quaternions, with 1 - 2 (q_j^2 + q_k^2) on the diagonal.
  regularized,
};

// The epsilon of the formulas above, or 0 if there is none.
constexpr double used_epsilon(Inverse inverse, double epsilon) {
  return inverse == Inverse::normalized || inverse == Inverse::regularized ? epsilon : 0;
}

// M(output, input) += coefficient * a[left] * a[right], with left <= right. All numbers are positions in the
// lists of blades.
struct SandwichTerm {
  int output;
  int input;
  int left;
  int right;
  int coefficient;
  friend constexpr bool operator==(const SandwichTerm&, const SandwichTerm&) = default;
};

// The terms of a x ~a for all `inputs` x, restricted to `outputs`; ordered by output, then input. Odd actions
// have the sign (-1)^l of the Pin group's action, l the grade of x.
constexpr std::vector<SandwichTerm> sandwich_terms(Signature s, std::span<const Blade> actions,
                                                   std::span<const Blade> inputs,
                                                   std::span<const Blade> outputs) {
  std::vector<SandwichTerm> terms;
  const auto sign_of = [&](Blade l, Blade x, Blade r) {
    const SignedBlade half = geometric(s, l, x);
    const SignedBlade whole = geometric(s, half.blade, r);
    const int pin = is_odd(grade(l) * grade(x)) ? -1 : 1;
    return half.sign * whole.sign * reverse_sign(r) * pin;
  };
  for (std::size_t y = 0; y < outputs.size(); ++y) {
    for (std::size_t x = 0; x < inputs.size(); ++x) {
      for (std::size_t l = 0; l < actions.size(); ++l) {
        for (std::size_t r = l; r < actions.size(); ++r) {
          if ((actions[l] ^ inputs[x] ^ actions[r]) != outputs[y]) continue;
          int c = sign_of(actions[l], inputs[x], actions[r]);
          if (r != l) c += sign_of(actions[r], inputs[x], actions[l]);
          if (c == 0) continue;
          terms.push_back(
              {static_cast<int>(y), static_cast<int>(x), static_cast<int>(l), static_cast<int>(r), c});
        }
      }
    }
  }
  return terms;
}

// <a ~a> = sum of norm_sign(blade) * coefficient^2.
constexpr int norm_sign(Signature s, Blade blade) {
  return geometric(s, blade, blade).sign * reverse_sign(blade);
}

// The blades of a layer's actions and objects, and the table that maps objects.
//
//   const auto pga = gcan::Algebra::pga3d();
//   const gcan::SandwichPlan plan({.algebra = pga, .actions = pga.even_blades(), .inputs = pga.points(),
//                                  .outputs = pga.points(), .constants = {pga.blade("e123").blade}});
class SandwichPlan {
 public:
  struct Blades {
    Algebra algebra;
    std::vector<Blade> actions;         // all even or all odd
    std::vector<Blade> inputs;          // what an object stores
    std::vector<Blade> outputs;         // what the result stores
    std::vector<Blade> constants = {};  // input blades with one value for all objects of a channel

    friend bool operator==(const Blades&, const Blades&) = default;
  };

  // Error for empty lists, repeated blades, blades outside the algebra, and actions of mixed parity.
  explicit SandwichPlan(Blades blades);

  [[nodiscard]] const Blades& blades() const { return blades_; }
  // The terms of the inputs and of the constants; for the latter, `input` is an index into the constants.
  [[nodiscard]] const std::vector<SandwichTerm>& terms() const { return terms_; }
  [[nodiscard]] const std::vector<SandwichTerm>& constant_terms() const { return constant_terms_; }
  // The same without repetitions.
  [[nodiscard]] const SandwichSums& sums() const { return sums_; }
  [[nodiscard]] const SandwichSums& constant_sums() const { return constant_sums_; }
  // <a ~a> = sum_i norm_signs()[i] a_i^2
  [[nodiscard]] const std::vector<int>& norm_signs() const { return norm_signs_; }

  // The outputs x inputs matrix of one action, row-major: the reference for fast kernels.
  [[nodiscard]] std::vector<double> matrix(std::span<const double> action, Inverse inverse = Inverse::reverse,
                                           double epsilon = 0) const;

 private:
  Blades blades_;
  std::vector<SandwichTerm> terms_;
  std::vector<SandwichTerm> constant_terms_;
  SandwichSums sums_, constant_sums_;
  std::vector<int> norm_signs_;
};

}  // namespace gcan
