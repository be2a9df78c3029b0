#pragma once

#include <string>
#include <vector>

#include "gcan/data/well_file.h"

namespace gcan::data {

// Other people's layouts.
//
// "pdearena", for smoke: an HDF5 file per split with a group of the split's name and in it u (smoke), vx, vy
// (trajectory, frame, x, y), t, x, y, dt, dx, dy and buo_y per trajectory, as its data loader reads it. For
// shallow water pdearena reads NetCDF-4 with u, v (trajectory, frame, level, latitude, longitude) and pres.
// "netcdf": NetCDF-4 by the CF conventions, one file.
enum class Format { kPdearena, kNetcdf };
Format parse_format(const std::string& name);  // "pdearena", "netcdf"; Error for another

// The variable of our NetCDF files that says which split each trajectory belongs to: 0 train, 1 valid, 2
// test.
inline constexpr const char* kSplitVariable = "split";

// Writes the complete trajectories of the reader's file; returns the names of the files written. Where a
// format has a file per split, the split's name goes before the ending of `out`.
std::vector<std::string> export_file(const WellReader& reader, Format format, const std::string& out);

// The split of each trajectory of a file of others: what its variable `split` says, else that of a word of
// its name, else training.
std::vector<Split> file_splits(const Hdf5File& file, std::size_t trajectories);

// Reads one or more files (all of one layout, which is found by what is in them) and writes them as one file
// of The Well's layout. Trajectories keep the split that the file says; else a file or group with the word
// train, valid or test in its name goes to that split, and others to the training split.
void import_files(const std::vector<std::string>& files, const std::string& out, bool compress);

}  // namespace gcan::data
