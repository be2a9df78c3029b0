#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "gcan/config/setting.h"
#include "gcan/data/tetris_file.h"
#include "gcan/data/well_file.h"
#include "gcan/sim/shallow_water/options.h"
#include "gcan/sim/smoke/options.h"
#include "gcan/sim/tetris/options.h"

namespace gcan::data {

// What to write and where, for any simulator.
struct SetOptions {
  std::array<int, 3> splits{};  // trajectories of train, valid, test
  std::string out;
  bool compress = false;
  int threads = 1;
  // For a part of a larger set: how many trajectories of each split precede it, and how many the set has. Not
  // for Tetris motions.
  std::array<int, 3> first{}, whole{};
};

// Callbacks of generate(), called from worker threads but never concurrently.
struct Observer {
  std::function<void(int total, int done_before, int damaged)> begin;
  std::function<void(const std::string& failure)> trajectory;  // one is done; with a message if it failed
};

struct Outcome {
  bool was_there = false;             // the file was complete already
  std::vector<std::string> failures;  // messages for trajectories that became unstable
  std::vector<Split> useless = {};    // splits without a stable trajectory
};

// The data sets of the simulators: the simulator's Options and further settings of the file.
struct ShallowWaterSet {
  sim::shallow_water::Options options;
  bool store_vorticity = false;
};
struct SmokeSet {
  sim::smoke::Options options;
  bool single = false;  // precision of the solver
};
struct TetrisSet {
  sim::tetris::Options options;
};

const std::vector<config::Setting<ShallowWaterSet>>& shallow_water_settings();
const std::vector<config::Setting<SmokeSet>>& smoke_settings();
const std::vector<config::Setting<TetrisSet>>& tetris_settings();

// The description that a run writes to its file; Error for invalid options.
Description describe(const ShallowWaterSet& set, const std::array<int, 3>& splits);
Description describe(const SmokeSet& set, const std::array<int, 3>& splits);
TetrisDescription describe(const TetrisSet& set, const std::array<int, 3>& splits);

// Simulates the missing trajectories of the set and writes them (see WellWriter and TetrisWriter). Error, and
// no file, if every trajectory becomes unstable. An exception from an observer stops the work; for fields,
// the same call later resumes it.
Outcome generate(const ShallowWaterSet& set, const SetOptions& options, const Observer& observer);
Outcome generate(const SmokeSet& set, const SetOptions& options, const Observer& observer);
Outcome generate(const TetrisSet& set, const SetOptions& options, const Observer& observer);

// The options for one of several processes: its splits, first, and the name of its part, "sw-2.h5" for
// "sw.h5".
SetOptions part_of(const SetOptions& whole, int rank, int size);

// Marks the description as that of a part, if it is one.
void mark_part(Description& description, const SetOptions& options);

// Trajectories with consecutive numbers; simulators run ranges.
struct Range {
  int first;  // trajectory of the file
  int count;
};
std::vector<Range> ranges_of(const std::vector<int>& trajectories, const Description& description);

}  // namespace gcan::data
