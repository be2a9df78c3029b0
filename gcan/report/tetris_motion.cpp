#include "gcan/report/tetris_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "gcan/algebra/error.h"
#include "gcan/report/gnuplot.h"
#include "gcan/report/pose.h"
#include "gcan/sim/tetris/shapes.h"

namespace gcan::report {
namespace {

namespace tetris = sim::tetris;
using tetris::kObjects;
using tetris::kPoints;
using tetris::kPointsPerObject;

using Cubes = std::array<Point3, kPointsPerObject>;  // centres
using Scene = std::array<Cubes, kObjects>;
using Point2 = std::array<double, 2>;
using Colour = std::array<double, 3>;  // red, green, blue of 255

constexpr std::array<Colour, kObjects> kColours{{{0, 114, 178},
                                                 {213, 94, 0},
                                                 {0, 158, 115},
                                                 {204, 121, 167},
                                                 {230, 159, 0},
                                                 {86, 180, 233},
                                                 {136, 34, 85},
                                                 {140, 140, 40}}};
constexpr Colour kGrey{205, 205, 205};

double dot(const Point3& a, const Point3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Seen from far away (parallel lines stay parallel), from the right front and above.
struct Camera {
  Point3 right, up, towards;  // of the viewer

  Camera() {
    const double a = 35 * std::numbers::pi / 180, e = 28 * std::numbers::pi / 180;
    right = {std::cos(a), std::sin(a), 0};
    towards = {std::sin(a) * std::cos(e), -std::cos(a) * std::cos(e), std::sin(e)};
    up = {-std::sin(a) * std::sin(e), std::cos(a) * std::sin(e), std::cos(e)};
  }
  Point2 seen(const Point3& p) const { return {dot(right, p), dot(up, p)}; }
};

// Polygons in the order of drawing, in a plane whose unit is the side of a cube.
class Canvas {
 public:
  explicit Canvas(double unit_pixels) : line_width_(std::clamp(unit_pixels / 40, 0.3, 1.0)) {}

  void polygon(const std::array<Point2, 4>& corners, const Colour& fill, const Colour& border) {
    std::string path;
    for (std::size_t i = 0; i <= corners.size(); ++i) {
      const Point2& p = corners[i % corners.size()];
      path += fmt::format("{}{:.4f},{:.4f}", i == 0 ? "" : " to ", p[0], p[1]);
    }
    script_ += fmt::format(
        "set object {} polygon from {} front fc rgb '{}' fs solid 1 border lc rgb '{}' lw {:.2f}\n",
        ++objects_, path, hex(fill), hex(border), line_width_);
  }
  void label(const Point2& at, const std::string& text, const std::string& style) {
    script_ +=
        fmt::format("set label {} at {:.4f},{:.4f} noenhanced {}\n", gnuplot_text(text), at[0], at[1], style);
  }
  const std::string& script() const { return script_; }

 private:
  static std::string hex(const Colour& c) {
    const auto part = [](double value) { return static_cast<int>(std::clamp(value, 0.0, 255.0)); };
    return fmt::format("#{:02X}{:02X}{:02X}", part(c[0]), part(c[1]), part(c[2]));
  }

  double line_width_;
  int objects_ = 0;
  std::string script_;
};

Colour scaled(const Colour& c, double factor) { return {c[0] * factor, c[1] * factor, c[2] * factor}; }

// Lit from above left: faces keep the colour's hue and go from full light to shadow.
Colour shaded(const Colour& colour, const Point3& normal) {
  constexpr Point3 kLight{-0.30, -0.52, 0.80};
  // In steps, so that all colours of an animation fit into the 256 of a GIF.
  constexpr double kSteps = 24;
  const double light = std::round(kSteps * (0.74 + 0.40 * std::max(0.0, dot(normal, kLight)))) / kSteps;
  Colour result = scaled(colour, std::min(light, 1.0));
  for (double& c : result) c += std::max(0.0, light - 0.9) * 1.5 * (255 - c);
  return result;
}

void draw_cube(Canvas& canvas, const Camera& camera, const Point3& centre, const Rotation3& pose,
               const Colour& colour, const Point2& shift) {
  constexpr double kHalf = 0.47;  // a little less than half, so that cubes are told apart
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

// From the farthest cube to the nearest: cubes of one lattice never hide each other both ways.
void draw_object(Canvas& canvas, const Camera& camera, const Cubes& cubes, const Rotation3& pose,
                 const Colour& colour, const Point2& shift) {
  std::array<std::size_t, kPointsPerObject> order{0, 1, 2, 3};
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return dot(cubes[a], camera.towards) < dot(cubes[b], camera.towards);
  });
  for (const std::size_t i : order) draw_cube(canvas, camera, cubes[i], pose, colour, shift);
}

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

// Scenes one after another with the poses of their objects, each nearest to the one before.
class Film {
 public:
  void add(const Scene& scene) {
    std::array<Rotation3, kObjects> poses = poses_.empty() ? unturned() : poses_.back();
    for (std::size_t o = 0; o < kObjects; ++o)
      poses[o] = fitted_rotation(tetris::shapes()[o].points, scene[o], poses[o]);
    scenes_.push_back(scene);
    poses_.push_back(poses);
  }
  std::size_t size() const { return scenes_.size(); }
  const Scene& scene(std::size_t frame) const { return scenes_[frame]; }
  void draw(Canvas& canvas, const Camera& camera, std::size_t frame, std::size_t object, const Colour& colour,
            const Point2& shift) const {
    draw_object(canvas, camera, scenes_[frame][object], poses_[frame][object], colour, shift);
  }

 private:
  static std::array<Rotation3, kObjects> unturned() {
    std::array<Rotation3, kObjects> result{};
    result.fill(kUnturned);
    return result;
  }
  std::vector<Scene> scenes_;
  std::vector<std::array<Rotation3, kObjects>> poses_;
};

// A place for each object, four in a line and two lines, large enough for its true motion.
class Places {
 public:
  static constexpr std::size_t kColumns = 4, kRows = 2;

  Places(const Camera& camera, const Film& truth) {
    for (std::size_t o = 0; o < kObjects; ++o) {
      Point2 low{1e300, 1e300}, high{-1e300, -1e300};
      for (std::size_t f = 0; f < truth.size(); ++f)
        for (const Point3& cube : truth.scene(f)[o]) {
          const Point2 seen = camera.seen(cube);
          for (std::size_t i = 0; i < 2; ++i)
            low[i] = std::min(low[i], seen[i]), high[i] = std::max(high[i], seen[i]);
        }
      constexpr double kRoom = 1.6;  // for half cubes at both ends and a gap
      for (std::size_t i = 0; i < 2; ++i) {
        middle_[o][i] = (low[i] + high[i]) / 2;
        cell_[i] = std::max(cell_[i], high[i] - low[i] + kRoom);
      }
    }
  }

  double width() const { return kColumns * cell_[0]; }
  double height() const { return kRows * cell_[1]; }
  double cell_height() const { return cell_[1]; }
  // Of the object's cell, with the whole field's upper left corner in the origin.
  Point2 centre(std::size_t object) const {
    return {(static_cast<double>(object % kColumns) + 0.5) * cell_[0],
            -(static_cast<double>(object / kColumns) + 0.5) * cell_[1]};
  }
  // From where an object is seen to where it is drawn.
  Point2 shift(std::size_t object, const Point2& field) const {
    const Point2 at = centre(object);
    return {field[0] + at[0] - middle_[object][0], field[1] + at[1] - middle_[object][1]};
  }

 private:
  std::array<Point2, kObjects> middle_{};
  Point2 cell_{};
};

void check(const TetrisMotion& motion) {
  constexpr std::size_t kRow = kPoints * 3;
  for (const auto* values : {&motion.truth, &motion.predicted}) {
    const char* name = values == &motion.truth ? "true" : "predicted";
    if (values->empty() || values->size() % kRow != 0)
      throw Error(fmt::format("tetris picture: the {} motion has {} numbers; it must be a multiple of 32 x 3",
                              name, values->size()));
    if (!std::all_of(values->begin(), values->end(), [](float x) { return std::isfinite(x); }))
      throw Error(fmt::format("tetris picture: the {} motion holds numbers that are not finite", name));
  }
  if (motion.predicted.size() > motion.truth.size())
    throw Error(fmt::format("tetris picture: {} steps are predicted, but the truth has {}",
                            motion.predicted_steps(), motion.steps()));
}

std::string frame_of(double left, double right, double bottom, double top) {
  return fmt::format(
      "unset border\nunset tics\nunset key\nset margins 0,0,0,0\nset xrange [{}:{}]\nset yrange [{}:{}]\n",
      left, right, bottom, top);
}

// The end of a script: objects and labels are drawn with a plot of nothing.
constexpr const char* kNothing = "plot NaN notitle\n";

}  // namespace

std::size_t TetrisMotion::steps() const { return truth.size() / (kPoints * 3); }
std::size_t TetrisMotion::predicted_steps() const { return predicted.size() / (kPoints * 3); }

std::size_t animation_frames(const TetrisMotion& motion, int between) {
  check(motion);
  return (motion.steps() - 1) * (static_cast<std::size_t>(std::max(between, 0)) + 1) + 1;
}

void animate_tetris(const TetrisMotion& motion, const std::string& out, int between) {
  if (std::filesystem::path(out).extension() != ".gif")
    throw Error(out + ": an animation is drawn as .gif; give a name that ends so");
  const std::size_t frames = animation_frames(motion, between),
                    parts = frames == 1 ? 1 : (frames - 1) / (motion.steps() - 1);
  const std::size_t given = motion.steps() - motion.predicted_steps();
  const auto predicted_at = [&](std::size_t step) {
    return step < given ? scene_at(motion.truth, step) : scene_at(motion.predicted, step - given);
  };
  Film truth, shown;
  for (std::size_t f = 0; f < frames; ++f) {
    const std::size_t step = f / parts, next = std::min(step + 1, motion.steps() - 1);
    const double part = static_cast<double>(f % parts) / static_cast<double>(parts);
    truth.add(mixed(scene_at(motion.truth, step), scene_at(motion.truth, next), part));
    shown.add(mixed(predicted_at(step), predicted_at(next), part));
  }
  const Camera camera;
  const Places places(camera, truth);
  constexpr int kWidth = 960;
  const double unit = kWidth / (places.width() + 0.8), head = 1.7 * 40 / unit;
  const int height = static_cast<int>(unit * (places.height() + 0.4) + 68);
  std::string script = frame_of(-0.4, places.width() + 0.4, -places.height() - 0.4, head);
  for (std::size_t f = 0; f < frames; ++f) {
    Canvas canvas(unit);
    const bool predicts = f > (given == 0 ? 0 : given - 1) * parts || given == 0;
    const std::size_t step = (f + parts / 2) / parts;
    canvas.label({places.width() / 2, head * 0.62},
                 predicts ? fmt::format("step {}: {} predicts; grey: the truth", step + 1, motion.model)
                          : fmt::format("step {}: given to the model", step + 1),
                 "center font 'DejaVuSans,15'");
    for (std::size_t o = 0; o < kObjects; ++o) {
      if (predicts) truth.draw(canvas, camera, f, o, kGrey, places.shift(o, {0, 0}));
      shown.draw(canvas, camera, f, o, kColours[o], places.shift(o, {0, 0}));
    }
    script += "unset object\nunset label\n" + canvas.script() + kNothing;
  }
  draw_beside(out, [&](const std::string& beside) {
    const ScratchFolder folder;
    const std::string terminal = fmt::format(
        "set encoding utf8\nset terminal gif animate delay {} loop 0 size {},{} font "
        "'DejaVuSans,12'\nset output {}\n",
        std::max<std::size_t>(4, 48 / parts), kWidth, height, gnuplot_text(beside));
    run_gnuplot(terminal + script + "unset output\n", folder);
  });
}

void draw_tetris(const TetrisMotion& motion, const std::string& out) {
  check(motion);
  const std::size_t given = motion.steps() - motion.predicted_steps();
  Film truth, predicted;
  for (std::size_t step = 0; step < motion.predicted_steps(); ++step) {
    truth.add(scene_at(motion.truth, given + step));
    predicted.add(scene_at(motion.predicted, step));
  }
  const Camera camera;
  const Places places(camera, truth);
  constexpr double kGap = 1.5, kMargin = 2.2,
                   kHead = 2.0;  // between pictures, for names at the left, for steps
  const double width = static_cast<double>(truth.size()) * (places.width() + kGap) + kMargin;
  const double height = 2 * places.height() + kGap + kHead;
  constexpr int kWidth = 1100;
  Canvas canvas(kWidth / width);
  for (std::size_t row = 0; row < 2; ++row) {
    const double top = -static_cast<double>(row) * (places.height() + kGap);
    canvas.label({kMargin / 2, top - places.height() / 2}, row == 0 ? motion.model : "truth",
                 "center rotate by 90");
    for (std::size_t step = 0; step < truth.size(); ++step) {
      const Point2 field{
          kMargin + (static_cast<double>(step) + 0.5) * kGap + static_cast<double>(step) * places.width(),
          top};
      if (row == 0)
        canvas.label({field[0] + places.width() / 2, kHead / 2}, fmt::format("step {}", given + step + 1),
                     "center");
      for (std::size_t o = 0; o < kObjects; ++o) {
        const Point2 shift = places.shift(o, field);
        if (row == 0) truth.draw(canvas, camera, step, o, kGrey, shift);
        (row == 0 ? predicted : truth).draw(canvas, camera, step, o, kColours[o], shift);
      }
    }
  }
  draw_beside(out, [&](const std::string& beside) {
    const ScratchFolder folder;
    const PictureSize size{kWidth, static_cast<int>(kWidth * height / width)};
    run_gnuplot(picture_terminal(out, beside, size) + frame_of(0, width, kHead - height, kHead) +
                    canvas.script() + kNothing + "unset output\n",
                folder);
  });
}

}  // namespace gcan::report
