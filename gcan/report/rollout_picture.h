#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gcan/data/well_file.h"

namespace gcan::report {

// One field at one time: (numbers, first axis, second axis), the components of a vector one after the other.
using FieldFrame = std::vector<float>;

// A field of a rollout: what a network was given, what followed, and what networks made of it.
struct RolloutField {
  std::string name, unit;
  std::size_t numbers = 1;  // 2: a vector of the plane, along the axes of a box or eastward and northward
  std::vector<FieldFrame> input, target;
  std::vector<std::vector<FieldFrame>> predictions;  // of each network, as many as targets
};

// A trajectory that one or several networks predict from the same start.
struct FieldRollout {
  data::Description grid;           // of which the kind of the grid and its axes are used
  std::vector<double> input_times;  // [s]
  std::vector<double> times;        // [s] of the targets
  std::vector<std::string> networks;
  std::vector<RolloutField> fields;
};

// A still picture, .png, .svg or .pdf. For each field a block with the rows input, target and, for each
// network, prediction and difference; at most `columns` times, evenly spread, the last among them. Input,
// target and predictions share their colours, whose range is that of the targets and of the last input; the
// difference is prediction minus target, white where it is zero. Vectors are drawn by their length and
// arrows, with an arrow that says their scale, their difference by its length. Predictions may hold numbers
// that are not finite, which stay white.
//
//   draw_rollout({grid, {0, 1}, {2, 3}, {"GCA-UNet"}, {eta, velocity}}, "rollout.pdf");
void draw_rollout(const FieldRollout& rollout, const std::string& out, std::size_t columns = 4);

// The same, moving, as .gif: target, prediction and difference side by side, fields one below the other. Of
// long rollouts every second, third... step is shown.
void animate_rollout(const FieldRollout& rollout, const std::string& out);

// How many pictures that animation has.
std::size_t animation_frames(const FieldRollout& rollout);

}  // namespace gcan::report
