#pragma once

// A run that the program trains in a second.

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/cli/run_program.h"
#include "tests/data/scratch.h"

namespace gcan::test {

inline std::string tiny_training(const Scratch& scratch, const std::string& name = "run") {
  const std::string data = scratch / "tetris.h5", run = scratch / name, config = scratch / (name + ".toml");
  const Outcome simulated =
      run_gcan({"simulate", "tetris", "--train", "16", "--valid", "8", "--test", "8", "--out", data});
  EXPECT_EQ(simulated.code, 0) << simulated.err;
  std::ofstream(config) << "[model]\nname = \"mlp\"\nwidth = 16\n[data]\nkind = \"tetris\"\nfile = \"" << data
                        << "\"\n[train]\nsteps = 20\nbatch = 8\nvalidate_every = 5\nlog_every = 5\n";
  const Outcome trained = run_gcan({"train", config, "--out", run});
  EXPECT_EQ(trained.code, 0) << trained.err;
  return run;
}

// The same on a small smoke simulation.
inline std::string tiny_fluid_training(const Scratch& scratch) {
  const std::string data = scratch / "smoke.h5", run = scratch / "fluid", config = scratch / "fluid.toml";
  const Outcome simulated =
      run_gcan({"simulate", "navier-stokes", "--cells", "16", "--length", "4", "--steps", "24", "--train",
                "3", "--valid", "1", "--test", "2", "--out", data});
  EXPECT_EQ(simulated.code, 0) << simulated.err;
  std::ofstream(config) << "[model]\nname = \"gca-resnet\"\nchannels = 4\nblocks = 1\n[data]\nkind = "
                           "\"fluid\"\nhistory = 2\nfile = \""
                        << data << "\"\n[train]\nsteps = 4\nbatch = 2\nvalidate_every = 2\n";
  const Outcome trained = run_gcan({"train", config, "--out", run});
  EXPECT_EQ(trained.code, 0) << trained.err;
  return run;
}

}  // namespace gcan::test
