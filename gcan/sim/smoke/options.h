#pragma once

#include <cstdint>

namespace gcan::sim::smoke {

// How a field is carried along the flow. Both schemes are stable at any time step.
enum class Advection {
  semi_lagrangian,  // first order, bilinear look-up at the Euler departure point: the paper's data
  mac_cormack,      // second order: a look-up back and forth estimates the error, limited to the neighbours
};

// Incompressible Navier-Stokes with buoyant smoke in a closed square box:
//   ds/dt + v.grad s = 0,  dv/dt + v.grad v = -grad p + nu lap v + (0, b s),  div v = 0,  v = 0 on walls.
// The defaults are the paper's. Lengths and times are in the paper's units (it calls them metres, seconds);
// smoke has no unit.
//
//   auto options = gcan::sim::smoke::Options::paper();
//   options.cells = 256, options.length = 64, options.seed = 7;
struct Options {
  int cells = 128;          // cells along each side: even, 16 to 2048
  double length = 32;       // side of the box                                     [m]
  double time_step = 1.5;   // of one solver step                                  [s]
  double viscosity = 0.01;  // kinematic viscosity nu                              [m^2/s]
  double buoyancy = 0.5;    // acceleration b in +y of smoke 1                     [m/s^2]
  Advection advection = Advection::semi_lagrangian;
  int diffusion_substeps = 1;  // explicit diffusion needs nu dt / (substeps dx^2) <= 1/4

  int skip_steps = 8;   // steps before the first one that may be stored
  int steps = 56;       // steps after the skipped ones
  int frame_every = 4;  // of those, every how many-th is stored, beginning with the first

  double noise_scale = 11;   // wavenumber n counts as k = n/length*noise_scale    [m]
  int noise_smoothness = 6;  // amplitude (k^2)^-smoothness where k^2 > 0.1
  std::uint64_t seed = 0;    // with the trajectory's number it fixes the initial smoke

  double dx() const { return length / cells; }                                      // [m]
  int frames() const { return (steps + frame_every - 1) / frame_every; }            // stored per trajectory
  int frame_step(int frame) const { return skip_steps + 1 + frame * frame_every; }  // steps done by then
  double frame_time(int frame) const { return frame_step(frame) * time_step; }      // [s]

  static Options paper() { return {}; }
  static Options small();  // the paper's cell size, time step and frames on 64 x 64 cells
};

// Throws gcan::Error, naming the option, its value and what is allowed, unless the options are valid.
void validate(const Options& options);

}  // namespace gcan::sim::smoke
