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

// Names that can be drawn: scalar fields, components of vectors, "speed", static fields.
std::vector<std::string> plottable_fields(const data::Description& description);

// Draws a field of a file as PNG (a frame) or GIF (a trajectory): on the sphere a map with graticule, in a
// box the box; a colour map of even perception, diverging for fields of both signs, and a bar with units.
void plot_field(const data::WellReader& reader, const PlotOptions& options);

}  // namespace gcan::report
