#pragma once

// Small grids for the tests of pictures of fields.

#include <cstddef>
#include <string>
#include <vector>

#include "gcan/data/well_file.h"

namespace gcan::test {

// Cells of side 1.
inline data::Description box_grid(std::size_t rows, std::size_t columns) {
  data::Description grid;
  grid.grid_type = "cartesian";
  grid.space = {data::Axis{"x", "m", {}, "PERIODIC"}, data::Axis{"y", "m", {}, "PERIODIC"}};
  for (std::size_t i = 0; i < rows; ++i) grid.space[0].values.push_back(static_cast<double>(i) + 0.5);
  for (std::size_t i = 0; i < columns; ++i) grid.space[1].values.push_back(static_cast<double>(i) + 0.5);
  return grid;
}

// From north to south.
inline data::Description sphere_grid(std::size_t rows, std::size_t columns) {
  data::Description grid;
  grid.grid_type = "spherical";
  grid.space = {data::Axis{"latitude", "degrees_north", {}, "OPEN"},
                data::Axis{"longitude", "degrees_east", {}, "PERIODIC"}};
  const double height = 180.0 / static_cast<double>(rows), width = 360.0 / static_cast<double>(columns);
  for (std::size_t i = 0; i < rows; ++i)
    grid.space[0].values.push_back(90 - height * (static_cast<double>(i) + 0.5));
  for (std::size_t i = 0; i < columns; ++i) grid.space[1].values.push_back(width * static_cast<double>(i));
  return grid;
}

}  // namespace gcan::test
