#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gcan/data/well_file.h"

namespace gcan::report {

// A field at one time: (components, first axis, second axis).
using FieldFrame = std::vector<float>;

// A field of a rollout: inputs, targets, and the predictions of networks.
struct RolloutField {
  std::string name, unit;
  std::size_t numbers = 1;  // 2 for a vector: along the axes of a box, or eastward and northward
  std::vector<FieldFrame> input, target;
  std::vector<std::vector<FieldFrame>> predictions;  // of each network, one for each target
};

// A trajectory and its predictions by one or several networks from the same start.
struct FieldRollout {
  data::Description grid;           // only the kind of the grid and its axes are used
  std::vector<double> input_times;  // [s]
  std::vector<double> times;        // [s] of the targets
  std::vector<std::string> networks;
  std::vector<RolloutField> fields;
};

// A still picture, .png, .svg or .pdf. Each field has a block with the rows input, target and, for each
// network, prediction and difference, at up to `columns` evenly spaced times including the last. Input,
// target and predictions share a colour scale, with the range of the targets and the last input; the
// difference is prediction minus target, white at zero. Vectors are drawn as their length with arrows and a
// reference arrow, their differences as lengths. Non-finite predictions are white.
//
//   draw_rollout({grid, {0, 1}, {2, 3}, {"GCA-UNet"}, {eta, velocity}}, "rollout.pdf");
void draw_rollout(const FieldRollout& rollout, const std::string& out, std::size_t columns = 4);

// The same as an animated .gif: target, prediction and difference side by side, fields below one another.
// Long rollouts skip steps.
void animate_rollout(const FieldRollout& rollout, const std::string& out);

// The number of pictures of that animation.
std::size_t animation_frames(const FieldRollout& rollout);

}  // namespace gcan::report
