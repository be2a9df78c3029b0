// `gcan` and `gcan-torch`: command.h says what is in which.

#include "gcan/cli/frame/program.h"

int main(int argc, char** argv) {
  gcan::cli::prepare_process();
  return gcan::cli::guarded([&] { gcan::cli::run_program(argc, argv); });
}
