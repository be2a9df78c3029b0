#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "gcan/data/setting.h"
#include "gcan/data/tetris_file.h"
#include "gcan/data/well_file.h"
#include "gcan/sim/shallow_water/options.h"
#include "gcan/sim/smoke/options.h"
#include "gcan/sim/tetris/options.h"

namespace gcan::data {

// What to write where, whatever the simulator.
struct SetOptions {
  std::array<int, 3> splits{};  // trajectories of train, valid, test
  std::string out;
  bool compress = false;
  int threads = 1;
  // A part of a larger set: how many trajectories of each split come before it. Not of Tetris motions.
  std::array<int, 3> first{};
};

// Told by generate() as it goes, from worker threads but never two at once.
struct Observer {
  std::function<void(int total, int done_before, int damaged)> begin;
  std::function<void(const std::string& failure)> trajectory;  // done; the sentence of one that failed
};

struct Outcome {
  bool was_there = false;             // nothing had to be done
  std::vector<std::string> failures;  // sentences of the trajectories that became unstable
  std::vector<Split> useless = {};    // splits of which every trajectory did
};

// The data sets of the simulators: Options of the simulator and what more the file may be asked for.
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

const std::vector<Setting<ShallowWaterSet>>& shallow_water_settings();
const std::vector<Setting<SmokeSet>>& smoke_settings();
const std::vector<Setting<TetrisSet>>& tetris_settings();

// The file's description of a run; Error, before anything runs, unless the options can be run.
Description describe(const ShallowWaterSet& set, const std::array<int, 3>& splits);
Description describe(const SmokeSet& set, const std::array<int, 3>& splits);
TetrisDescription describe(const TetrisSet& set, const std::array<int, 3>& splits);

// Simulates what is still missing of the set and writes it (see WellWriter and TetrisWriter). Error, and no
// file, where every trajectory becomes unstable. What an observer throws stops the work; of fields, the same
// call resumes from what was written.
Outcome generate(const ShallowWaterSet& set, const SetOptions& options, const Observer& observer);
Outcome generate(const SmokeSet& set, const SetOptions& options, const Observer& observer);
Outcome generate(const TetrisSet& set, const SetOptions& options, const Observer& observer);

// The share of one of several processes: splits, first, threads and the name of the part, "sw-2.h5" of
// "sw.h5".
SetOptions part_of(const SetOptions& whole, int rank, int size);

// Says in the description which part of a larger set it is.
void mark_part(Description& description, const std::array<int, 3>& first);

// "Trajectories" that follow one another by number: simulators run ranges.
struct Range {
  int first;  // trajectory of the file
  int count;
};
std::vector<Range> ranges_of(const std::vector<int>& trajectories, const Description& description);

}  // namespace gcan::data
