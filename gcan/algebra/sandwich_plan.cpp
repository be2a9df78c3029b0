#include "gcan/algebra/sandwich_plan.h"

#include <algorithm>
#include <cmath>

namespace gcan {
namespace {

// Error unless the blades are in the algebra and distinct.
void check_list(const Algebra& algebra, const std::vector<Blade>& blades, const std::string& what) {
  for (const Blade blade : blades) {
    if (blade > algebra.pseudoscalar()) {
      throw Error("the " + what + " blade " + std::to_string(blade) + " does not exist in " +
                  algebra.to_string());
    }
    if (std::count(blades.begin(), blades.end(), blade) > 1) {
      throw Error("the blade " + algebra.name(blade) + " occurs twice among the " + what + " blades");
    }
  }
}

void check(const SandwichPlan::Blades& b) {
  check_list(b.algebra, b.actions, "action");
  check_list(b.algebra, b.outputs, "output");
  std::vector<Blade> inputs = b.inputs;
  inputs.insert(inputs.end(), b.constants.begin(), b.constants.end());
  check_list(b.algebra, inputs, "input or constant");
  if (b.actions.empty() || b.inputs.empty() || b.outputs.empty()) {
    throw Error("a group action needs at least one blade each of the action, the input and the output");
  }
  const bool odd = is_odd(grade(b.actions.front()));
  for (const Blade blade : b.actions) {
    if (is_odd(grade(blade)) != odd) {
      throw Error("the action blades " + b.algebra.name(b.actions.front()) + " and " + b.algebra.name(blade) +
                  " have even and odd grades: an action is either even (Spin) or odd (Pin)");
    }
  }
}

// Checked before anything is made of them.
SandwichPlan::Blades checked(SandwichPlan::Blades blades) {
  check(blades);
  return blades;
}

std::vector<SandwichTerm> terms_of(const SandwichPlan::Blades& b, const std::vector<Blade>& inputs) {
  return sandwich_terms(b.algebra.signature(), b.actions, inputs, b.outputs);
}

// Which entries of M, from `inputs` to the outputs, the identity has too.
std::vector<bool> diagonal(const SandwichPlan::Blades& b, const std::vector<Blade>& inputs) {
  std::vector<bool> entries;
  for (const Blade output : b.outputs) {
    for (const Blade input : inputs) entries.push_back(output == input);
  }
  return entries;
}

}  // namespace

SandwichPlan::SandwichPlan(Blades blades)
    : blades_(checked(std::move(blades))),
      terms_(terms_of(blades_, blades_.inputs)),
      constant_terms_(terms_of(blades_, blades_.constants)),
      sums_(terms_, blades_.inputs.size(), blades_.actions.size(), diagonal(blades_, blades_.inputs)),
      constant_sums_(constant_terms_, blades_.constants.size(), blades_.actions.size(),
                     std::vector<bool>(blades_.outputs.size() * blades_.constants.size())) {
  const Signature s = blades_.algebra.signature();
  for (const Blade blade : blades_.actions) norm_signs_.push_back(norm_sign(s, blade));
}

std::vector<double> SandwichPlan::matrix(std::span<const double> action, Inverse inverse,
                                         double epsilon) const {
  double scale = 1, shift = 0;
  if (inverse != Inverse::reverse) {
    double norm = 0;
    for (std::size_t i = 0; i < action.size(); ++i) norm += norm_signs_[i] * action[i] * action[i];
    shift = std::copysign(used_epsilon(inverse, epsilon), norm);
    scale = 1 / (norm + shift);
  }
  std::vector<double> matrix(blades_.outputs.size() * blades_.inputs.size());
  for (const SandwichTerm& t : terms_) {
    const auto entry =
        static_cast<std::size_t>(t.output) * blades_.inputs.size() + static_cast<std::size_t>(t.input);
    matrix[entry] += scale * t.coefficient * action[static_cast<std::size_t>(t.left)] *
                     action[static_cast<std::size_t>(t.right)];
  }
  if (inverse != Inverse::regularized) return matrix;
  for (std::size_t y = 0; y < blades_.outputs.size(); ++y) {
    for (std::size_t x = 0; x < blades_.inputs.size(); ++x) {
      if (blades_.outputs[y] == blades_.inputs[x]) matrix[y * blades_.inputs.size() + x] += scale * shift;
    }
  }
  return matrix;
}

}  // namespace gcan
