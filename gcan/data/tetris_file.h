#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gcan/data/hdf5_file.h"
#include "gcan/data/parameter.h"
#include "gcan/data/well_file.h"
#include "gcan/files/output_lock.h"
#include "gcan/files/unfinished.h"
#include "gcan/sim/tetris/options.h"

namespace gcan::data {

// All that a Tetris file says beside the numbers of its trajectories.
struct TetrisDescription {
  sim::tetris::Options options;
  std::array<int, 3> splits{};       // trajectories of train, valid, test
  std::vector<Parameter> more = {};  // what else the file says of its making, such as of a prediction

  int trajectories() const { return splits[0] + splits[1] + splits[2]; }
  std::vector<Parameter> recorded() const;  // every option, then the splits and what more there is
  std::uint64_t bytes() const;              // of positions and velocities
};

// Positions and velocities of a split, each (trajectory, step, point, 3).
struct TetrisSplit {
  std::size_t trajectories = 0;
  std::vector<float> positions, velocities;
};

// Of one coordinate over the training trajectories.
struct CoordinateStatistics {
  double mean = 0, std = 0, rms = 0;
};

// Writes a file under the name NAME.partial, block after block of a split's trajectories, and gives it its
// name when all are there. What was not finished is removed with the object.
class TetrisWriter {
 public:
  TetrisWriter(std::string name, const TetrisDescription& description, bool compress);
  ~TetrisWriter();
  TetrisWriter(const TetrisWriter&) = delete;
  TetrisWriter& operator=(const TetrisWriter&) = delete;

  void write(Split split, std::size_t first, const TetrisSplit& block);
  void finish();

 private:
  void discard();  // what is not finished

  std::string name_, partial_;
  files::OutputLock lock_;
  files::UnfinishedFile unfinished_;
  TetrisDescription description_;
  std::optional<Hdf5File> file_;
  std::array<std::array<Moments, 3>, 2> moments_{};  // of positions and velocities, by coordinate
};

// Reads a Tetris file. A file of something else, or one that is cut short or damaged, is an Error that says
// so.
//
//   const TetrisFile file("tetris.h5");
//   const TetrisSplit train = file.read(Split::train, 256);   // the first 256
class TetrisFile {
 public:
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  explicit TetrisFile(const std::string& path);

  const std::string& path() const { return file_.path(); }
  const TetrisDescription& description() const { return description_; }
  const sim::tetris::Options& options() const { return description_.options; }
  std::size_t trajectories(Split split) const;

  // The first `count` trajectories of a split; Error if there are fewer, or if a number is not finite.
  // Checksums are compared.
  TetrisSplit read(Split split, std::size_t count = kAll) const;

  std::array<CoordinateStatistics, 3> position_statistics() const { return statistics("positions"); }
  std::array<CoordinateStatistics, 3> velocity_statistics() const { return statistics("velocities"); }

 private:
  std::array<CoordinateStatistics, 3> statistics(const std::string& field) const;
  std::vector<float> read_field(Split split, std::size_t field, std::size_t count) const;

  Hdf5File file_;
  TetrisDescription description_;
};

// Whether the file says that it holds Tetris motions, whatever else is right or wrong with it.
bool is_tetris_file(const std::string& path);

// True if NAME is a finished file of this very run; Error if it is another one.
bool already_written(const std::string& name, const TetrisDescription& description);

}  // namespace gcan::data
