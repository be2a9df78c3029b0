#pragma once

// Draws Tetris objects as cubes, as polygons for gnuplot. Used by tetris_motion.h.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "gcan/report/pose.h"
#include "gcan/sim/tetris/shapes.h"

namespace gcan::report {

using Cubes = std::array<Point3, sim::tetris::kPointsPerObject>;  // centres
using Scene = std::array<Cubes, sim::tetris::kObjects>;
using Point2 = std::array<double, 2>;
using Colour = std::array<double, 3>;  // red, green, blue, 0 to 255

extern const std::array<Colour, sim::tetris::kObjects> kObjectColours;
inline constexpr Colour kGrey{205, 205, 205};

// The objects at one step of positions (step, 32, 3).
Scene scene_at(const std::vector<float>& positions, std::size_t step);
// Interpolates two scenes: a at part 0, b at part 1.
Scene mixed(const Scene& a, const Scene& b, double part);

// A parallel projection, seen from the front right and above.
struct Camera {
  Point3 right, up, towards;  // of the viewer

  Camera();
  Point2 seen(const Point3& point) const;
};

// Polygons in drawing order, in units of a cube's side.
class Canvas {
 public:
  explicit Canvas(double unit_pixels);
  void polygon(const std::array<Point2, 4>& corners, const Colour& fill, const Colour& border);
  void label(const Point2& at, const std::string& text, const std::string& style);
  const std::string& script() const { return script_; }

 private:
  double line_width_;
  int objects_ = 0;
  std::string script_;
};

// Successive scenes with the poses of their objects, each closest to the previous one.
class Film {
 public:
  void add(const Scene& scene);
  std::size_t size() const { return scenes_.size(); }
  const Scene& scene(std::size_t frame) const { return scenes_[frame]; }
  void draw(Canvas& canvas, const Camera& camera, std::size_t frame, std::size_t object, const Colour& colour,
            const Point2& shift) const;

 private:
  std::vector<Scene> scenes_;
  std::vector<std::array<Rotation3, sim::tetris::kObjects>> poses_;
};

// A cell for each object, in two rows of four, large enough for its true motion.
class Places {
 public:
  Places(const Camera& camera, const Film& truth);
  double width() const;
  double height() const;
  // The shift from an object's projection to its cell with this upper left corner.
  Point2 shift(std::size_t object, const Point2& corner) const;

 private:
  static constexpr std::size_t kColumns = 4, kRows = 2;
  std::array<Point2, sim::tetris::kObjects> middle_{};
  std::array<double, kColumns> widths_{};
  std::array<double, kRows> heights_{};
};

}  // namespace gcan::report
