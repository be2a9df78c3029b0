#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace gcan::data {

// A field of the new file and the variables of the old one that it is made of.
struct NamedField {
  std::string name;
  std::vector<std::string> variables;  // one of a scalar, the components of a vector: along x and y
};

// Which variables of NetCDF-4 or HDF5 files mean what.
struct NamedImport {
  std::vector<std::string> files;
  std::vector<NamedField> fields;
  std::string time, x, y;       // coordinates, each of one dimension
  std::string trajectory = {};  // the dimension that counts trajectories; empty: the one that is left over
  int skip = 0;                 // frames left out at the start of each trajectory
  int cut = 0;                  // frames of the pieces that each trajectory is cut into; 0: it stays whole
  std::array<int, 2> held_out = {};  // the last trajectories of all, for valid and test; 0: as the files say
  std::string out;
  bool compress = false;
};

// "p" and "wind=u,v": a name before '=', else the variable's own, or "velocity" of a vector.
NamedField scalar_named(const std::string& text);
NamedField vector_named(const std::string& text);

// Writes one file of The Well's layout. Coordinates in degrees make it a sphere, with rows of latitude and
// vectors (eastward, northward), others a box with the axes x, y; units are carried, packed numbers unpacked.
// Error for a variable that is not there or has axes of no meaning, for uneven coordinates, and for missing
// numbers. `done` is told after each trajectory.
void import_named(const NamedImport& request, const std::function<void(int total, int done)>& done = {});

// "p (time 24, lat 32, lon 64), ...": what a file offers; for errors.
std::string offered_variables(const std::string& file);

}  // namespace gcan::data
