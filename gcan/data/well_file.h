#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gcan/data/hdf5_file.h"
#include "gcan/data/moments.h"
#include "gcan/data/parameter.h"
#include "gcan/data/split.h"
#include "gcan/files/output_lock.h"

namespace gcan::data {

// The coordinates of the points along one axis of space.
struct Axis {
  std::string name;
  std::string unit;
  std::vector<double> values;
  std::string boundary = "OPEN";  // The Well's words: PERIODIC, WALL, OPEN
};

// A simulated field: a scalar (t0_fields) without components, a vector (t1_fields) with them.
struct FieldInfo {
  std::string name;
  std::string unit;
  std::vector<std::string> components;
  std::string description;  // what it is and its position on the grid
  std::size_t elements() const { return components.empty() ? 1 : components.size(); }  // per point
};

// A time-independent field, such as the orography.
struct StaticField {
  std::string name;
  std::string unit;
  std::vector<double> values;
};

// The simulator's number for a trajectory of a split. The splits have disjoint ranges, so a larger training
// set does not change valid and test.
std::int64_t trajectory_number(Split split, std::int64_t index);

// All metadata of a file.
struct Description {
  std::string dataset;    // "shallow-water", "navier-stokes"
  std::string grid_type;  // The Well's words: "spherical", "cartesian"
  std::array<Axis, 2> space;
  std::vector<double> area;  // of a point in each row of the first axis, as a fraction of the whole [1]
  std::vector<double> frame_times;  // [s]
  std::vector<std::int32_t> frame_steps;
  std::vector<FieldInfo> fields;
  std::vector<StaticField> static_fields;
  std::vector<Parameter> constants;        // of the equations
  std::vector<Parameter> options;          // of the run; resuming requires the same ones
  std::vector<std::string> start_names;    // names of the parameters of each initial condition
  std::vector<std::string> failure_names;  // fields in which a trajectory may fail
  std::array<int, 3> splits{};             // trajectories of train, valid, test

  int trajectories() const { return splits[0] + splits[1] + splits[2]; }
  std::size_t frames() const { return frame_times.size(); }
  std::size_t frame_points() const { return space[0].values.size() * space[1].values.size(); }
  Split split_of(int trajectory) const;
  std::int64_t number_of(int trajectory) const;  // trajectory_number of the file's i-th trajectory
  std::uint64_t bytes() const;                   // of the fields of all trajectories
};

enum class Status : std::uint8_t { kMissing, kComplete, kFailed };

// The numbers of one trajectory: fields in the order of the description, each (frames, space..., components).
struct Trajectory {
  std::vector<std::vector<float>> fields;
  std::vector<double> start;  // values of Description::start_names
  int failed_step = -1;       // at which it became unstable; later frames are NaN
  std::string failed_field;
};
Trajectory empty_trajectory(const Description& description);  // NaN everywhere

// Statistics of one field over the complete trajectories of the training split, per component.
struct FieldStatistics {
  std::vector<FieldMoments> components;
};

// Writes trajectories into NAME.partial, in any order, and renames it to NAME when all are complete. The
// process may be killed at any time: NAME.partial is fully allocated before it gets that name; then only
// numbers inside it change, and a trajectory's status is written last. Constructing the writer again resumes;
// damaged trajectories are written again.
class WellWriter {
 public:
  // Error if the folder cannot be written, if another process writes NAME, if the disk has too little room,
  // or if NAME.partial belongs to another run.
  WellWriter(std::string name, Description description, bool compress);

  std::vector<int> missing() const;  // trajectories yet to be written
  int complete() const;              // trajectories that ran to their end
  int damaged() const { return damaged_; }
  void write(int trajectory, const Trajectory& data);
  void finish();   // after all trajectories: statistics, compression, rename
  void discard();  // removes NAME.partial; nothing can be written afterwards

 private:
  void verify_marked();

  std::string name_;
  files::OutputLock lock_;
  Description description_;
  bool compress_;
  std::optional<Hdf5File> file_;
  std::vector<std::uint8_t> status_;
  int damaged_ = 0;
};

// True if NAME is a complete file of this run; Error if it is a different run's.
bool already_written(const std::string& name, const Description& description);

class WellPart;

// Reads a file of The Well's layout, from gcan or elsewhere, or several files as one set. Without gcan's
// metadata there are no checksums and statistics, and all trajectories count as complete and for training.
//
//   WellReader("sw.h5");      // a file
//   WellReader("sw-*.h5");    // the parts of a set, as the file that `gcan merge` would make of them
class WellReader {
 public:
  // The name of a file, or a list or pattern of the parts of a set (file_names.h).
  explicit WellReader(const std::string& name, Hdf5File::Mode mode = Hdf5File::Mode::kRead);
  // The parts of a set, in any order. Error, with the file, for parts of different sets, and missing or
  // repeated parts.
  explicit WellReader(const std::vector<std::string>& files);
  ~WellReader();
  WellReader(WellReader&&) noexcept;

  const std::string& path() const { return path_; }  // as given
  const Description& description() const { return description_; }
  Status status(int trajectory) const;
  std::string failure(int trajectory) const;  // error message; empty if it did not fail
  std::vector<double> start(int trajectory) const;

  // One field of a trajectory; Error naming the trajectory if the checksum is wrong.
  std::vector<float> field(std::size_t field, int trajectory) const;
  Trajectory trajectory(int trajectory) const;
  std::vector<float> frame(std::size_t field, int trajectory, std::size_t frame) const;  // without checksum
  std::size_t field_index(const std::string& name) const;  // Error listing the fields of the file
  std::optional<FieldStatistics> statistics(std::size_t field) const;

 private:
  // Where a trajectory of the set is stored.
  struct Place {
    const WellPart* part;
    int trajectory;
  };
  void read_parts(const std::vector<std::string>& files);
  void find_places();
  const Place& place(int trajectory) const;  // Error for an invalid index

  std::string path_;
  std::vector<std::unique_ptr<const WellPart>> parts_;
  std::vector<Place> places_;
  Description description_;
};

}  // namespace gcan::data
