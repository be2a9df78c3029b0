#pragma once

// The prompt of `gcan algebra`: lines from a person or from a pipe.

#include "gcan/algebra/expression.h"
#include "gcan/cli/commands/algebra_text.h"

namespace gcan::cli {

// Computes line after line. A mistake ends neither kind of input, but a pipe's reader is told of it at the
// end.
void run_lines(expression::Calculator& calculator, const Display& display);

}  // namespace gcan::cli
