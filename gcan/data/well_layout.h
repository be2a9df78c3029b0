#pragma once

// The layout of The Well's files, shared by writer and reader.

#include <string>

#include "gcan/data/well_file.h"

namespace gcan::data {

inline constexpr std::int64_t kFormatVersion = 1;

std::string dataset_of(const FieldInfo& field);                          // "t0_fields/eta"
Shape shape_of(const Description& description, const FieldInfo& field);  // (trajectories, frames, space, ...)

// Creates all groups, datasets and attributes, with room for every trajectory.
void make_layout(Hdf5File& file, const Description& description, bool compress);

// Error, naming what is missing, unless the file has the layout.
Description read_description(const Hdf5File& file);

// The first difference between the options of two runs as "time-step 600 (here 3290)"; empty if none.
std::string difference(const Description& stored, const Description& wanted);

}  // namespace gcan::data
