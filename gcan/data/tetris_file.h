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

// All metadata of a Tetris file.
struct TetrisDescription {
  sim::tetris::Options options;
  std::array<int, 3> splits{};       // trajectories of train, valid, test
  std::vector<Parameter> more = {};  // further provenance, for example of a prediction

  int trajectories() const { return splits[0] + splits[1] + splits[2]; }
  std::vector<Parameter> recorded() const;  // all options, the splits and `more`
  std::uint64_t bytes() const;              // of positions and velocities
};

// Positions and velocities of a split, each (trajectory, step, point, 3). Velocities are empty if only
// positions were read.
struct TetrisSplit {
  std::size_t trajectories = 0;
  std::vector<float> positions, velocities;
};

// Statistics of one coordinate over the training trajectories.
struct CoordinateStatistics {
  double mean = 0, std = 0, rms = 0;
};

// Writes NAME.partial in blocks of trajectories and renames it to NAME when complete. The destructor removes
// an unfinished file.
class TetrisWriter {
 public:
  TetrisWriter(std::string name, const TetrisDescription& description, bool compress);
  ~TetrisWriter();
  TetrisWriter(const TetrisWriter&) = delete;
  TetrisWriter& operator=(const TetrisWriter&) = delete;

  void write(Split split, std::size_t first, const TetrisSplit& block);
  void finish();

 private:
  void discard();  // removes the unfinished file

  std::string name_, partial_;
  files::OutputLock lock_;
  files::UnfinishedFile unfinished_;
  TetrisDescription description_;
  std::optional<Hdf5File> file_;
  std::array<std::array<Moments, 3>, 2> moments_{};  // of positions and velocities, by coordinate
};

// Reads a Tetris file. Error for other, truncated and damaged files.
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

  // The first `count` trajectories of a split; Error if there are fewer, if a checksum is wrong or if a
  // number is not finite.
  TetrisSplit read(Split split, std::size_t count = kAll) const;
  // The same without velocities.
  TetrisSplit read_positions(Split split, std::size_t count = kAll) const;

  // The checksums stored with the first `count` trajectories of a split, of positions and velocities in turn.
  std::vector<std::uint32_t> checksums(Split split, std::size_t count) const;

  std::array<CoordinateStatistics, 3> position_statistics() const { return statistics("positions"); }
  std::array<CoordinateStatistics, 3> velocity_statistics() const { return statistics("velocities"); }

 private:
  std::array<CoordinateStatistics, 3> statistics(const std::string& field) const;
  std::size_t checked_count(Split split, std::size_t count) const;
  std::vector<float> read_field(Split split, std::size_t field, std::size_t count) const;

  Hdf5File file_;
  TetrisDescription description_;
};

// Whether the file, or the first of a list, claims to hold Tetris motions; it may still be invalid.
bool is_tetris_file(const std::string& path);

// True if NAME is a complete file of this run; Error if it is a different run's.
bool already_written(const std::string& name, const TetrisDescription& description);

}  // namespace gcan::data
