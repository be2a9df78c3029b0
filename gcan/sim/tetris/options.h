#pragma once

#include <cstdint>
#include <numbers>

namespace gcan::sim::tetris {

// The initial orientation of the objects.
enum class Orientation {
  haar,   // an independent, uniformly random rotation for each object
  none,   // no rotation: the paper's text taken literally
  scene,  // the same random rotation for all objects of a trajectory
};

// The uniform distribution of an object's offset per step.
enum class Translation {
  cube,  // |each component| <= max_offset
  ball,  // |offset| <= max_offset
};

// Whether the displacements of the cubes are constant or drawn for each step.
enum class Deformation { constant, per_step };

// Tetris motions: a point is at R^t x + t T at step t, with a rotation R by an angle up to max_angle around a
// uniform axis through the object's centre and an offset T. The paper samples the objects' motions
// "conditionally" without saying how. Here each of axis, angle and offset comes from normal numbers
//   z_object = sqrt(rho) z_scene + sqrt(1 - rho) z_own
// through the normal distribution function, which preserves the marginal distribution of each object. Lengths
// are in sides of a cube, angles in radians.
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
  int steps = 8;           // positions 0 to steps-1; velocities need one more step
  std::uint64_t seed = 0;  // with the trajectory's number it fixes everything

  static Options paper() { return {}; }
  static Options literal();  // the paper's text to the letter: no initial rotation, independent and rigid
};

// Throws gcan::Error, naming the option, its value and what is allowed, unless the options are valid.
void validate(const Options& options);

}  // namespace gcan::sim::tetris
