#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gcan::report {

// A Tetris trajectory and, optionally, a model's prediction of its end.
struct TetrisMotion {
  std::vector<float> truth;           // positions (step, 32, 3)
  std::vector<float> predicted = {};  // the same for the predicted last steps
  std::string model = {};             // the model's name, for the title

  std::size_t steps() const;            // of the truth
  std::size_t predicted_steps() const;  // predicted steps, at the end
};

// The motion as an animated GIF: the eight objects as cubes, the truth in grey and the prediction in colours
// in front of it; during the input steps the truth is in colours. All objects start at the origin, so they
// are drawn apart: each true object and its prediction are shifted by the same vector. There are `between`
// pictures from one step to the next; the last step is shown longer.
//
//   animate_tetris({truth, predicted, "GCA-MLP"}, "motion.gif");
void animate_tetris(const TetrisMotion& motion, const std::string& out, int between = 5);

// The number of pictures of that animation.
std::size_t animation_frames(const TetrisMotion& motion, int between = 5);

// The paper's figure as a .png, .svg or .pdf: the predicted steps from left to right, the prediction above
// the truth. Without a prediction, all steps of the motion.
void draw_tetris(const TetrisMotion& motion, const std::string& out);

}  // namespace gcan::report
