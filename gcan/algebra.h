#pragma once

// Geometric algebra G(p,q,r), at compile time and at run time: gcan::algebra.

#include "gcan/algebra/algebra.h"
#include "gcan/algebra/exponential.h"
#include "gcan/algebra/expression.h"
#include "gcan/algebra/functions.h"
#include "gcan/algebra/inverse.h"
#include "gcan/algebra/multivector.h"
#include "gcan/algebra/multivector_array.h"
#include "gcan/algebra/multivector_x.h"
#include "gcan/algebra/norm.h"
#include "gcan/algebra/pga2d.h"
#include "gcan/algebra/pga3d.h"
#include "gcan/algebra/signature.h"
#include "gcan/algebra/text.h"
#include "gcan/algebra/versor.h"
#include "gcan/base/error.h"
