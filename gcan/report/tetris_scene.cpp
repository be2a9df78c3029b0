#include "gcan/report/tetris_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "gcan/report/gnuplot.h"

namespace gcan::report {

using sim::tetris::kObjects;
using sim::tetris::kPoints;
using sim::tetris::kPointsPerObject;

const std::array<Colour, kObjects> kObjectColours{{{0, 114, 178},
                                                   {213, 94, 0},
                                                   {0, 158, 115},
                                                   {204, 121, 167},
                                                   {230, 159, 0},
                                                   {86, 180, 233},
                                                   {136, 34, 85},
                                                   {140, 140, 40}}};

namespace {

double dot(const Point3& a, const Point3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

std::string hex(const Colour& c) {
  const auto part = [](double value) { return static_cast<int>(std::clamp(value, 0.0, 255.0)); };
  return fmt::format("#{:02X}{:02X}{:02X}", part(c[0]), part(c[1]), part(c[2]));
}

Colour scaled(const Colour& c, double factor) { return {c[0] * factor, c[1] * factor, c[2] * factor}; }

// Lighting from above left changes the brightness of faces, not the hue.
Colour shaded(const Colour& colour, const Point3& normal) {
  constexpr Point3 kLight{-0.30, -0.52, 0.80};
  // Quantised, so that all colours of an animation fit into the 256 of a GIF.
  constexpr double kSteps = 24;
  const double light = std::round(kSteps * (0.74 + 0.40 * std::max(0.0, dot(normal, kLight)))) / kSteps;
  Colour result = scaled(colour, std::min(light, 1.0));
  for (double& c : result) c += std::max(0.0, light - 0.9) * 1.5 * (255 - c);
  return result;
}

void draw_cube(Canvas& canvas, const Camera& camera, const Point3& centre, const Rotation3& pose,
               const Colour& colour, const Point2& shift) {
  constexpr double kHalf = 0.47;  // slightly less than half, to separate cubes visually
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      Point3 normal{};
      normal[axis] = side;
      const Point3 out = turned(pose, normal);
      if (dot(out, camera.towards) <= 1e-9) continue;
      std::array<Point2, 4> corners{};
      for (std::size_t i = 0; i < 4; ++i) {
        Point3 corner{};
        corner[axis] = side * kHalf;
        corner[(axis + 1) % 3] = i == 0 || i == 3 ? -kHalf : kHalf;
        corner[(axis + 2) % 3] = i < 2 ? -kHalf : kHalf;
        const Point3 offset = turned(pose, corner);
        const Point2 seen =
            camera.seen({centre[0] + offset[0], centre[1] + offset[1], centre[2] + offset[2]});
        corners[i] = {seen[0] + shift[0], seen[1] + shift[1]};
      }
      canvas.polygon(corners, shaded(colour, out), scaled(colour, 0.45));
    }
}

// Back to front: cubes of one lattice never overlap cyclically.
void draw_object(Canvas& canvas, const Camera& camera, const Cubes& cubes, const Rotation3& pose,
                 const Colour& colour, const Point2& shift) {
  std::array<std::size_t, kPointsPerObject> order{0, 1, 2, 3};
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return dot(cubes[a], camera.towards) < dot(cubes[b], camera.towards);
  });
  for (const std::size_t i : order) draw_cube(canvas, camera, cubes[i], pose, colour, shift);
}

}  // namespace

Scene scene_at(const std::vector<float>& positions, std::size_t step) {
  Scene scene{};
  for (std::size_t p = 0; p < kPoints; ++p)
    for (std::size_t i = 0; i < 3; ++i)
      scene[p / kPointsPerObject][p % kPointsPerObject][i] =
          static_cast<double>(positions[(step * kPoints + p) * 3 + i]);
  return scene;
}

Scene mixed(const Scene& a, const Scene& b, double part) {
  Scene result{};
  for (std::size_t o = 0; o < kObjects; ++o)
    for (std::size_t p = 0; p < kPointsPerObject; ++p)
      for (std::size_t i = 0; i < 3; ++i) result[o][p][i] = (1 - part) * a[o][p][i] + part * b[o][p][i];
  return result;
}

Camera::Camera() {
  const double a = 35 * std::numbers::pi / 180, e = 28 * std::numbers::pi / 180;
  right = {std::cos(a), std::sin(a), 0};
  up = {-std::sin(a) * std::sin(e), std::cos(a) * std::sin(e), std::cos(e)};
  towards = {std::sin(a) * std::cos(e), -std::cos(a) * std::cos(e), std::sin(e)};
}

Point2 Camera::seen(const Point3& point) const { return {dot(right, point), dot(up, point)}; }

Canvas::Canvas(double unit_pixels) : line_width_(std::clamp(unit_pixels / 40, 0.3, 1.0)) {}

void Canvas::polygon(const std::array<Point2, 4>& corners, const Colour& fill, const Colour& border) {
  std::string path;
  for (std::size_t i = 0; i <= corners.size(); ++i) {
    const Point2& p = corners[i % corners.size()];
    path += fmt::format("{}{:.4f},{:.4f}", i == 0 ? "" : " to ", p[0], p[1]);
  }
  script_ +=
      fmt::format("set object {} polygon from {} front fc rgb '{}' fs solid 1 border lc rgb '{}' lw {:.2f}\n",
                  ++objects_, path, hex(fill), hex(border), line_width_);
}

void Canvas::label(const Point2& at, const std::string& text, const std::string& style) {
  script_ +=
      fmt::format("set label {} at {:.4f},{:.4f} noenhanced {}\n", gnuplot_text(text), at[0], at[1], style);
}

void Film::add(const Scene& scene) {
  std::array<Rotation3, kObjects> poses{};
  poses.fill(kUnturned);
  if (!poses_.empty()) poses = poses_.back();
  for (std::size_t o = 0; o < kObjects; ++o)
    poses[o] = fitted_rotation(sim::tetris::shapes()[o].points, scene[o], poses[o]);
  scenes_.push_back(scene);
  poses_.push_back(poses);
}

void Film::draw(Canvas& canvas, const Camera& camera, std::size_t frame, std::size_t object,
                const Colour& colour, const Point2& shift) const {
  draw_object(canvas, camera, scenes_[frame][object], poses_[frame][object], colour, shift);
}

Places::Places(const Camera& camera, const Film& truth) {
  constexpr double kRoom = 1.9;  // for half cubes at both ends and a gap
  constexpr double kFar = std::numeric_limits<double>::infinity();
  for (std::size_t o = 0; o < kObjects; ++o) {
    Point2 low{kFar, kFar}, high{-kFar, -kFar};
    for (std::size_t f = 0; f < truth.size(); ++f)
      for (const Point3& cube : truth.scene(f)[o]) {
        const Point2 seen = camera.seen(cube);
        for (std::size_t i = 0; i < 2; ++i)
          low[i] = std::min(low[i], seen[i]), high[i] = std::max(high[i], seen[i]);
      }
    middle_[o] = {(low[0] + high[0]) / 2, (low[1] + high[1]) / 2};
    double& width = widths_[o % kColumns];
    double& height = heights_[o / kColumns];
    width = std::max(width, high[0] - low[0] + kRoom);
    height = std::max(height, high[1] - low[1] + kRoom);
  }
}

double Places::width() const { return std::accumulate(widths_.begin(), widths_.end(), 0.0); }
double Places::height() const { return std::accumulate(heights_.begin(), heights_.end(), 0.0); }

Point2 Places::shift(std::size_t object, const Point2& corner) const {
  Point2 at{corner[0] - middle_[object][0], corner[1] - middle_[object][1]};
  const std::size_t column = object % kColumns, row = object / kColumns;
  for (std::size_t c = 0; c < column; ++c) at[0] += widths_[c];
  for (std::size_t r = 0; r < row; ++r) at[1] -= heights_[r];
  return {at[0] + widths_[column] / 2, at[1] - heights_[row] / 2};
}

}  // namespace gcan::report
