#pragma once

#include <cstdint>
#include <numbers>

namespace gcan::sim::tetris {

// How the objects are turned before they begin to move.
enum class Orientation {
  haar,   // each by its own rotation, uniform over all rotations
  none,   // not at all: the paper's text taken literally
  scene,  // all objects of a trajectory by the same one
};

// What an object's offset per step is drawn from, uniformly.
enum class Translation {
  cube,  // |each component| <= max_offset
  ball,  // |offset| <= max_offset
};

// Whether the displacement of the cubes from their places in the object stays or is drawn for each step.
enum class Deformation { constant, per_step };

// Tetris motions: a point is at R^t x + t T at step t, with a rotation R by an angle up to max_angle around a
// uniform axis through the object's centre and an offset T. The paper samples the objects' motions
// "conditionally" without saying how. Here each of axis, angle and offset comes from normal numbers
//   z_object = sqrt(rho) z_scene + sqrt(1 - rho) z_own
// through the normal distribution function, which leaves every object's own distribution as it is.
// Lengths are in sides of a cube, angles in radians.
//
//   auto options = gcan::sim::tetris::Options::paper();
//   options.rho = 0, options.seed = 7;
struct Options {
  Orientation orientation = Orientation::haar;
  double max_angle = 0.05 * 2 * std::numbers::pi;  // per step, 0 to pi                       [rad]
  Translation translation = Translation::cube;
  double max_offset = 0.5;          // per step
  double rho = 0.5;                 // 0: objects move independently, 1: all in the same way
  double deformation_sigma = 0.01;  // standard deviation of each cube's displacement in each direction
  Deformation deformation = Deformation::constant;
  int steps = 8;           // positions 0 to steps-1; velocities need one step more
  std::uint64_t seed = 0;  // with the trajectory's number it fixes everything

  static Options paper() { return {}; }
  static Options literal();  // the paper's text to the letter: no initial rotation, independent and rigid
};

// Throws gcan::Error, naming the option, what was found and what is allowed, unless a run is possible.
void validate(const Options& options);

}  // namespace gcan::sim::tetris
