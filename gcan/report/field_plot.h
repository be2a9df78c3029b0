#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gcan/data/well_file.h"

namespace gcan::report {

struct PlotOptions {
  std::string field;  // empty: the file's first
  int trajectory = 0;
  std::optional<std::size_t> frame;  // none: the last
  bool animate = false;              // all frames, as GIF
  std::string out;
};

// The drawable names: scalar fields, components of vectors, "speed", static fields.
std::vector<std::string> plottable_fields(const data::Description& description);

// Draws a field of a file as PNG (a frame) or GIF (a trajectory): a map with graticule for a sphere; a
// perceptually uniform palette, diverging for fields of both signs, and a colour bar with units.
void plot_field(const data::WellReader& reader, const PlotOptions& options);

}  // namespace gcan::report
