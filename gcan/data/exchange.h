#pragma once

#include <string>
#include <vector>

#include "gcan/data/well_file.h"

namespace gcan::data {

// Layouts of other programs.
//
// "pdearena", for smoke: one HDF5 file per split. A group with the split's name contains u (smoke), vx, vy
// (trajectory, frame, x, y), t, x, y, dt, dx, dy and buo_y per trajectory, as its data loader reads them. For
// shallow water pdearena reads NetCDF-4 with u, v (trajectory, frame, level, latitude, longitude) and pres.
// "netcdf": one NetCDF-4 file with CF conventions.
enum class Format { kPdearena, kNetcdf };
Format parse_format(const std::string& name);  // "pdearena", "netcdf"; Error for another

// The variable of our NetCDF files that holds the split of each trajectory: 0 train, 1 valid, 2 test.
inline constexpr const char* kSplitVariable = "split";

// Writes the complete trajectories of the reader's file; returns the names of the files written. For a format
// with one file per split, the split's name goes before the extension of `out`.
std::vector<std::string> export_file(const WellReader& reader, Format format, const std::string& out);

// The split of each trajectory of a foreign file: its variable `split`, else the split in the file's name,
// else training.
std::vector<Split> file_splits(const Hdf5File& file, std::size_t trajectories);

// Reads one or more files of one layout, detected from their contents, and writes them as one file of The
// Well's layout. Trajectories keep their split; otherwise the word train, valid or test in the name of the
// file or group determines it, and the default is training.
void import_files(const std::vector<std::string>& files, const std::string& out, bool compress);

}  // namespace gcan::data
