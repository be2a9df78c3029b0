#pragma once

// The functions of the expression language that make points, lines, planes and motors in the projective
// algebras 2,0,1 and 3,0,1.

#include <span>

#include "gcan/algebra/functions.h"

namespace gcan::expression {

std::span<const Function> projective_functions();

}  // namespace gcan::expression
