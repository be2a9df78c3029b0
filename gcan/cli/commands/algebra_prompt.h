#pragma once

// The prompt of `gcan algebra`, for terminals and pipes.

#include "gcan/algebra/expression.h"
#include "gcan/cli/commands/algebra_text.h"

namespace gcan::cli {

// Evaluates line by line and continues after errors; for a pipe, it reports at the end that there were some.
void run_lines(expression::Calculator& calculator, const Display& display);

}  // namespace gcan::cli
