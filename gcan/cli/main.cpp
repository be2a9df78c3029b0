// `gcan` and `gcan-torch`; see command.h for the difference.

#include "gcan/cli/frame/program.h"

int main(int argc, char** argv) {
  gcan::cli::prepare_process();
  return gcan::cli::guarded([&] { gcan::cli::run_program(argc, argv); });
}
