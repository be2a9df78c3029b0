#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace gcan::data {

// A field of the new file and the variables of the old file that it consists of.
struct NamedField {
  std::string name;
  std::vector<std::string> variables;  // one for a scalar; the components along x and y for a vector
};

// The meaning of the variables of NetCDF-4 or HDF5 files.
struct NamedImport {
  std::vector<std::string> files;
  std::vector<NamedField> fields;
  std::string time, x, y;            // coordinates, each one-dimensional
  std::string trajectory = {};       // the dimension that counts trajectories; empty: the remaining one
  int skip = 0;                      // frames to skip at the start of each trajectory
  int cut = 0;                       // frames per piece into which each trajectory is cut; 0: not cut
  std::array<int, 2> held_out = {};  // the last trajectories, for valid and test; 0: splits of the files
  std::string out;
  bool compress = false;
};

// Parses "p" and "wind=u,v": the name is before '=', by default the variable's own or, for a vector,
// "velocity".
NamedField scalar_named(const std::string& text);
NamedField vector_named(const std::string& text);

// Writes one file of The Well's layout. Coordinates in degrees give a sphere, with rows of latitude and
// vectors (eastward, northward), others a box with the axes x, y. Units are kept, packed numbers unpacked.
// Error for missing variables, unknown axes, uneven coordinates and missing numbers. Calls `done` after each
// trajectory.
void import_named(const NamedImport& request, const std::function<void(int total, int done)>& done = {});

// "p (time 24, lat 32, lon 64), ...": the variables of a file, for errors.
std::string offered_variables(const std::string& path);

}  // namespace gcan::data
