#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gcan::report {

// A Tetris trajectory and what a model made of its end; nothing of it where only the motion is to be seen.
struct TetrisMotion {
  std::vector<float> truth;           // positions (step, 32, 3)
  std::vector<float> predicted = {};  // the same for the last steps; as many numbers as steps are predicted
  std::string model = {};             // its name, for the title

  std::size_t steps() const;            // of the truth
  std::size_t predicted_steps() const;  // at the end of them
};

// The motion as an animated GIF: the eight objects as cubes, the true ones in grey, the predicted ones in
// colours before them; while the model is still given the truth, the truth is in colours. The objects all
// start in the same place: they are drawn apart, each around its own middle, the true and the predicted one
// by the same shift, so that every difference is the predicted one. With `between` pictures from one step to
// the next; the last step stays for a moment.
//
//   animate_tetris({truth, predicted, "GCA-MLP"}, "motion.gif");
void animate_tetris(const TetrisMotion& motion, const std::string& out, int between = 5);

// How many pictures that animation has.
std::size_t animation_frames(const TetrisMotion& motion, int between = 5);

// The paper's figure, a .png, .svg or .pdf: the predicted steps from left to right, predicted above, true
// below. Without a prediction all steps of the motion.
void draw_tetris(const TetrisMotion& motion, const std::string& out);

}  // namespace gcan::report
