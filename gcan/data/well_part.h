#pragma once

// One file in The Well's layout; WellReader reads one or several as one data set.

#include <string>
#include <vector>

#include "gcan/data/well_file.h"

namespace gcan::data {

std::vector<float> read_field(const Hdf5File& file, const Description& d, std::size_t field, int trajectory);

// Whether the values match the checksum that was written with them.
bool intact(const Hdf5File& file, std::size_t field, int trajectory, const std::vector<float>& values);

// Adds the moments of the file's complete training trajectories to the sums, by component. Goes in the order
// of trajectories, so the digits do not depend on threads, interruptions or parts.
void join_training_moments(const Hdf5File& file, const Description& d, const FieldInfo& field,
                           std::vector<FieldMoments>& sums);

class WellPart {
 public:
  WellPart(const std::string& name, Hdf5File::Mode mode);

  const Hdf5File& file() const { return file_; }
  const std::string& path() const { return file_.path(); }
  const Description& description() const { return description_; }
  bool own() const { return own_; }  // whether it has gcan's metadata
  Status status(int trajectory) const { return status_.at(static_cast<std::size_t>(trajectory)); }

  // These take trajectory numbers within this file.
  std::vector<float> field(std::size_t field, int trajectory) const;
  std::vector<float> frame(std::size_t field, int trajectory, std::size_t frame) const;
  std::vector<double> start(int trajectory) const;
  int failed_step(int trajectory) const;
  std::string failed_field(int trajectory) const;  // empty if it is unknown

 private:
  Hdf5File file_;
  Description description_;
  std::vector<Status> status_;
  bool own_ = false;
};

}  // namespace gcan::data
