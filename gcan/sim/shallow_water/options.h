#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gcan::sim::shallow_water {

enum class Precision { kDouble, kFloat };

enum class InitialCondition {
  kRest,             // no motion, flat surface
  kRandom2,          // the public data set's start, with its quirk (initial_conditions.h)
  kGalewsky,         // unstable mid-latitude jet with random strength, latitude and bump
  kRandomVorticity,  // random rotational flow in nonlinear balance
  kWilliamson2,      // steady zonal flow, exact solution
  kWilliamson5,      // zonal flow over an isolated mountain
  kWilliamson6,      // Rossby-Haurwitz wave of wavenumber 4
};

// "rest", "random2", "galewsky", "random-vorticity", "williamson2", "williamson5", "williamson6"; Error for
// another.
InitialCondition initial_condition(std::string_view name);
std::string_view name_of(InitialCondition initial);

enum class Orography {
  kFlat,
  kMountain,  // the cone of Williamson 5: 2000 m high at 30 N, 90 W, 20 degrees in radius
  kGiven,     // Options::orography_height
};

struct Planet {
  double radius = 6.371e6;    // [m]
  double rotation = 7.29e-5;  // angular velocity [1/s]
  double gravity = 9.81;      // [m/s^2]
  double mean_depth = 1.0e4;  // H0, depth of the layer at rest over flat ground [m]
};

struct Diffusion {
  int power = 4;                   // of the Laplacian: 4 is 8th order [1]
  double time_scale = 2.4 * 3600;  // at the truncation; 0 switches it off [s]
};

// Optional sources and sinks; a time scale of 0 switches the term off.
struct Forcing {
  double drag_time = 0;              // linear drag of vorticity and divergence [s]
  double relaxation_time = 0;        // of eta towards the target, area mean left alone [s]
  double relaxation_height = 0;      // target: height * (1/3 - sin^2(latitude)), equator to pole [m]
  double stirring = 0;               // standard deviation of the random vorticity source [1/s^2]
  double stirring_time = 2 * 86400;  // its decorrelation time [s]
  int stirring_first = 8;            // degrees it acts on, first and last [1]
  int stirring_last = 12;
};

// Ranges of the random parameters of the Galewsky jet; equal bounds fix a parameter.
struct JetRanges {
  double speed[2] = {60, 90};     // largest wind [m/s]
  double latitude[2] = {35, 55};  // centre of the jet, which reaches 19.3 degrees to either side [degrees]
  double bump[2] = {60, 180};     // height of the perturbation [m]
  double bump_longitude[2] = {0, 360};  // [degrees]
};

struct Options {
  Planet planet;

  int truncation = 62;   // T: largest total wavenumber [1]
  int latitudes = 96;    // Gauss-Legendre rows, even [1]
  int longitudes = 192;  // points on a circle, even [1]

  double time_step = 3290;        // dt [s]
  int frames = 88;                // stored moments of a trajectory, of which the start is the first [1]
  int first_frame = 4;            // steps from the start to the second frame [1]
  int frame_interval = 6;         // steps between the frames that follow [1]
  double implicit_weight = 0.5;   // alpha: 0.5 centred, 1 backward [1]
  double robert_filter = 0.05;    // nu [1]
  double williams_filter = 0.53;  // a: 1 is the classical Robert-Asselin filter [1]

  Diffusion diffusion;
  Forcing forcing;

  Orography orography = Orography::kFlat;
  std::vector<double> orography_height;  // for kGiven: [latitude][longitude] from the north [m]

  InitialCondition initial = InitialCondition::kRandom2;
  JetRanges jet;
  double random_wind = 20;  // kRandomVorticity: root-mean-square wind [m/s]
  int random_degree = 8;    // kRandomVorticity: degree at which the energy spectrum peaks [1]

  std::uint64_t seed = 0;  // of the whole set; trajectory i draws from its own stream (seed, i)
  // Float takes half the time; after the paper's 520 steps eta differs from double by 1e-5 (relative l2).
  Precision precision = Precision::kDouble;
};

// The paper's data: T62 on 96 x 192, dt 3290 s, 88 frames at steps 0, 4, 10, 16, ..., 520, "random2".
Options paper_preset();
// A quarter of the paper's grid for a first look: T31 on 48 x 96, 22 frames.
Options small_preset();
// By name, "paper" or "small"; Error for another.
Options preset(std::string_view name);

// The grid that carries truncation T without aliasing of quadratic terms: the smallest number of longitudes
// >= 3 T + 1 that is divisible by 4 and has no prime factors above 5, for fast Fourier transforms, and half
// as many latitudes.
void set_truncation(Options& options, int truncation);

// Error, naming the option, its value and what is expected, unless the options are valid.
void validate(const Options& options);

// The steps of the frames: 0, first_frame, first_frame + frame_interval, ... ...
std::vector<int> frame_steps(const Options& options);

}  // namespace gcan::sim::shallow_water
