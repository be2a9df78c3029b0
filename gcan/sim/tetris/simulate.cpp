#include "gcan/sim/tetris/simulate.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <thread>
#include <vector>

#include "gcan/base/error.h"
#include "gcan/base/random.h"

namespace gcan::sim::tetris {
namespace {

using Matrix3 = std::array<Vector3, 3>;

Matrix3 operator*(const Matrix3& a, const Matrix3& b) {
  Matrix3 product{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      product[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
  return product;
}

constexpr Matrix3 kIdentity{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

// Of the quaternion (w, x, y, z) divided by its length.
Matrix3 rotation(double w, double x, double y, double z) {
  const double squares = w * w + x * x + y * y + z * z;
  if (squares == 0) return kIdentity;
  const double s = 2 / squares;
  return {{{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
           {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
           {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}}};
}

// The standard normal distribution function.
double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

// The probability that the length of a vector of three standard normal numbers is at most r.
double length_cdf(double r) {
  return std::erf(r / std::numbers::sqrt2) - std::sqrt(2 / std::numbers::pi) * r * std::exp(-r * r / 2);
}

// The normal numbers that determine the motion of an object, or of the scene.
struct Draw {
  Vector3 axis;
  double angle;
  Vector3 offset;
  std::array<double, 4> orientation;
};
constexpr std::size_t kDrawn = sizeof(Draw) / sizeof(double);
constexpr std::size_t kDisplacements = kPointsPerObject * 3;

// All normal numbers of a trajectory: motions of the scene and the objects, then displacements of the cubes
// of the scene and the objects, once or for each step.
class Draws {
 public:
  explicit Draws(const Options& options)
      : options_(options),
        shared_(std::sqrt(options.rho)),
        own_(std::sqrt(1 - options.rho)),
        normals_((kObjects + 1) * (kDrawn + kDisplacements * displacement_sets())) {}

  void draw(std::uint64_t trajectory) { base::fill_normals(options_.seed, trajectory, normals_); }

  Draw motion(std::size_t object) const {
    const double* scene = normals_.data();
    const double* own = scene + (object + 1) * kDrawn;
    const auto joint = [&](std::size_t i) { return shared_ * scene[i] + own_ * own[i]; };
    // Orientations are not coupled: they are the object's own or the scene's.
    const double* turned = options_.orientation == Orientation::scene ? scene : own;
    return {{joint(0), joint(1), joint(2)},
            joint(3),
            {joint(4), joint(5), joint(6)},
            {turned[7], turned[8], turned[9], turned[10]}};
  }

  // The displacements of an object's cubes at a step, in the object's frame.
  Vector3 displacement(std::size_t object, std::size_t step, std::size_t point) const {
    if (options_.deformation_sigma == 0) return {};
    const std::size_t set = options_.deformation == Deformation::per_step ? step : 0;
    const double* scene = normals_.data() + (kObjects + 1) * (kDrawn + kDisplacements * set) + 3 * point;
    const double* own = scene + (object + 1) * kDisplacements;
    Vector3 result{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      result[axis] = options_.deformation_sigma * (shared_ * scene[axis] + own_ * own[axis]);
    return result;
  }

 private:
  std::size_t displacement_sets() const {
    if (options_.deformation_sigma == 0) return 0;
    return options_.deformation == Deformation::per_step ? static_cast<std::size_t>(options_.steps) + 1 : 1;
  }

  const Options& options_;
  double shared_, own_;
  std::vector<double> normals_;
};

struct Motion {
  Matrix3 start, turn;  // at step 0, and per step
  Vector3 offset;       // per step
};

Motion motion_of(const Options& options, const Draw& draw) {
  Motion motion{kIdentity, kIdentity, {}};
  if (options.orientation != Orientation::none) {
    const auto& q = draw.orientation;
    motion.start = rotation(q[0], q[1], q[2], q[3]);
  }
  const double half = options.max_angle * normal_cdf(draw.angle) / 2;
  const Vector3& a = draw.axis;
  const double along = std::sin(half) / std::hypot(a[0], a[1], a[2]);
  motion.turn = rotation(std::cos(half), along * a[0], along * a[1], along * a[2]);
  const Vector3& z = draw.offset;
  if (options.translation == Translation::cube) {
    for (std::size_t i = 0; i < 3; ++i) motion.offset[i] = options.max_offset * (2 * normal_cdf(z[i]) - 1);
  } else {
    // Volumes within the ball are proportional to radius^3.
    const double length = std::hypot(z[0], z[1], z[2]);
    const double scale = options.max_offset * std::cbrt(std::clamp(length_cdf(length), 0.0, 1.0)) / length;
    for (std::size_t i = 0; i < 3; ++i) motion.offset[i] = scale * z[i];
  }
  return motion;
}

// Coordinates of one object's points, grouped by coordinate, so that four are computed at once.
using Places = std::array<std::array<double, kPointsPerObject>, 3>;

Places body_places(const Draws& draws, std::size_t object, std::size_t step) {
  Places body{};
  for (std::size_t p = 0; p < kPointsPerObject; ++p) {
    const Vector3 displacement = draws.displacement(object, step, p);
    for (std::size_t i = 0; i < 3; ++i) body[i][p] = shapes()[object].points[p][i] + displacement[i];
  }
  return body;
}

// Writes into the caller's memory: copying a result just written number by number would stall.
void move_to(const Matrix3& turn, const Vector3& offset, double step, const Places& body, Places& result) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t p = 0; p < kPointsPerObject; ++p)
      result[i][p] =
          turn[i][0] * body[0][p] + turn[i][1] * body[1][p] + turn[i][2] * body[2][p] + step * offset[i];
}

void store(const Places& places, float* out) {
  for (std::size_t p = 0; p < kPointsPerObject; ++p)
    for (std::size_t i = 0; i < 3; ++i) out[3 * p + i] = static_cast<float>(places[i][p]);
}

void store_difference(const Places& next, const Places& now, float* out) {
  for (std::size_t p = 0; p < kPointsPerObject; ++p)
    for (std::size_t i = 0; i < 3; ++i) out[3 * p + i] = static_cast<float>(next[i][p] - now[i][p]);
}

void run_object(const Options& options, const Draws& draws, std::size_t object, float* positions,
                float* velocities) {
  constexpr std::size_t kStride = kPoints * 3;
  const auto steps = static_cast<std::size_t>(options.steps);
  const bool every_step = options.deformation == Deformation::per_step;
  const Motion motion = motion_of(options, draws.motion(object));
  Matrix3 turn = motion.start;
  Places body = body_places(draws, object, 0);
  std::array<Places, 2> places;  // of this step and of the next, alternating
  move_to(turn, motion.offset, 0, body, places[0]);
  for (std::size_t step = 0; step < steps; ++step) {
    const Places& now = places[step % 2];
    Places& next = places[(step + 1) % 2];
    store(now, positions + step * kStride);
    if (step + 1 == steps && velocities == nullptr) break;
    turn = motion.turn * turn;
    if (every_step) body = body_places(draws, object, step + 1);
    move_to(turn, motion.offset, static_cast<double>(step + 1), body, next);
    if (velocities != nullptr) store_difference(next, now, velocities + step * kStride);
  }
}

void run_range(const Job& job, std::size_t begin, std::size_t end, float* positions, float* velocities) {
  const std::size_t size = static_cast<std::size_t>(job.options.steps) * kPoints * 3;
  Draws draws(job.options);
  for (std::size_t k = begin; k < end; ++k) {
    draws.draw(job.first_trajectory + k);
    for (std::size_t object = 0; object < kObjects; ++object) {
      const std::size_t at = k * size + object * kPointsPerObject * 3;
      run_object(job.options, draws, object, positions + at,
                 velocities == nullptr ? nullptr : velocities + at);
    }
  }
}

}  // namespace

void simulate(const Job& job, std::span<float> positions, std::span<float> velocities) {
  validate(job.options);
  if (job.threads < 1)
    throw Error("tetris: threads is " + std::to_string(job.threads) + "; it must be at least 1");
  for (const std::size_t size : {positions.size(), velocities.empty() ? job.size() : velocities.size()})
    if (size != job.size())
      throw Error("tetris: the spans have " + std::to_string(size) + " numbers, but the trajectories need " +
                  std::to_string(job.size()) + "; their size must be Job::size()");
  constexpr std::size_t kGrain = 64;  // the least number of trajectories per thread
  const std::size_t threads =
      std::clamp<std::size_t>(job.trajectories / kGrain, 1, static_cast<std::size_t>(job.threads));
  float* const v = velocities.empty() ? nullptr : velocities.data();
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads; ++i)
    others.emplace_back(run_range, std::cref(job), job.trajectories * i / threads,
                        job.trajectories * (i + 1) / threads, positions.data(), v);
  run_range(job, 0, job.trajectories / threads, positions.data(), v);
}

}  // namespace gcan::sim::tetris
