#include "gcan/cli/command.h"

namespace gcan::cli {

void add_commands(CLI::App& program, Context& context) { add_doctor(program, context); }

}  // namespace gcan::cli
