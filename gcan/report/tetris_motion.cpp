#include "gcan/report/tetris_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "gcan/base/error.h"
#include "gcan/report/gnuplot.h"
#include "gcan/report/tetris_scene.h"

namespace gcan::report {
namespace {

using sim::tetris::kObjects;
using sim::tetris::kPoints;

constexpr std::size_t kHold = 8;  // repetitions of the last step

void check(const TetrisMotion& motion) {
  constexpr std::size_t kRow = kPoints * 3;
  for (const auto* values : {&motion.truth, &motion.predicted}) {
    const char* name = values == &motion.truth ? "true" : "predicted";
    if (values == &motion.predicted && values->empty()) continue;
    if (values->empty() || values->size() % kRow != 0)
      throw Error(fmt::format("tetris picture: the {} motion has {} numbers; it must be a multiple of 32 x 3",
                              name, values->size()));
    if (!std::all_of(values->begin(), values->end(), [](float x) { return std::isfinite(x); }))
      throw Error(fmt::format("tetris picture: the {} motion has non-finite numbers", name));
  }
  if (motion.predicted.size() > motion.truth.size())
    throw Error(fmt::format("tetris picture: the prediction has {} steps, but the truth has {}",
                            motion.predicted_steps(), motion.steps()));
}

// No axes; the plane fills the picture.
std::string frame_of(double left, double right, double bottom, double top) {
  return fmt::format(
      "unset border\nunset tics\nunset key\nset margins 0,0,0,0\nset xrange [{}:{}]\nset yrange [{}:{}]\n",
      left, right, bottom, top);
}

// The end of a script: an empty plot draws objects and labels.
constexpr const char* kNothing = "plot NaN notitle\n";

// The pictures of an animation: the truth, and beside it the input, then the prediction.
struct Reel {
  Film truth, shown;
  std::size_t parts;     // pictures per step
  std::size_t predicts;  // the first predicted picture
  std::size_t steps;

  Reel(const TetrisMotion& motion, std::size_t pictures, int between)
      : parts(static_cast<std::size_t>(between) + 1), steps(motion.steps()) {
    const std::size_t given = motion.steps() - motion.predicted_steps();
    predicts = motion.predicted.empty() ? pictures : given == 0 ? 0 : (given - 1) * parts + 1;
    const auto shown_at = [&](std::size_t step) {
      return step < given ? scene_at(motion.truth, step) : scene_at(motion.predicted, step - given);
    };
    for (std::size_t f = 0; f < pictures; ++f) {
      const std::size_t step = std::min(f / parts, steps - 1), next = std::min(step + 1, steps - 1);
      const double part = static_cast<double>(f % parts) / static_cast<double>(parts);
      truth.add(mixed(scene_at(motion.truth, step), scene_at(motion.truth, next), part));
      shown.add(mixed(shown_at(step), shown_at(next), part));
    }
  }
  // Counted from 1: the step that is nearest.
  std::size_t step_at(std::size_t picture) const {
    return std::min((picture + parts / 2) / parts, steps - 1) + 1;
  }
};

}  // namespace

std::size_t TetrisMotion::steps() const { return truth.size() / (kPoints * 3); }
std::size_t TetrisMotion::predicted_steps() const { return predicted.size() / (kPoints * 3); }

std::size_t animation_frames(const TetrisMotion& motion, int between) {
  check(motion);
  constexpr int kMost = 50;
  if (between < 0 || between > kMost)
    throw Error(
        fmt::format("tetris picture: the number of pictures between two steps must be from 0 to {1}, not {0}",
                    between, kMost));
  return (motion.steps() - 1) * (static_cast<std::size_t>(between) + 1) + 1 + kHold;
}

void animate_tetris(const TetrisMotion& motion, const std::string& out, int between) {
  if (std::filesystem::path(out).extension() != ".gif")
    throw Error(out + ": the output of an animation must end in .gif");
  const std::size_t pictures = animation_frames(motion, between);
  const Reel reel(motion, pictures, between);
  const Camera camera;
  const Places places(camera, reel.truth);
  // Larger than displayed, because a GIF has no anti-aliasing until a page scales it down.
  constexpr int kWidth = 1440, kTitle = 80;
  constexpr double kEdge = 0.6;  // for predictions that leave the range of the truth
  const double unit = kWidth / (places.width() + 2 * kEdge), head = kTitle / unit;
  const int height = static_cast<int>(unit * (places.height() + kEdge)) + kTitle;
  std::string script = frame_of(-kEdge, places.width() + kEdge, -places.height() - kEdge, head);
  for (std::size_t f = 0; f < pictures; ++f) {
    Canvas canvas(unit);
    const bool predicts = f >= reel.predicts;
    const std::string step = fmt::format("step {}", reel.step_at(f));
    canvas.label({places.width() / 2, head / 2},
                 motion.predicted.empty() ? step
                 : predicts ? fmt::format("{}: predicted by {}; grey: the truth", step, motion.model)
                            : fmt::format("{}: given to {}", step, motion.model),
                 "center font 'DejaVuSans,22'");
    for (std::size_t o = 0; o < kObjects; ++o) {
      const Point2 shift = places.shift(o, {0, 0});
      if (predicts) reel.truth.draw(canvas, camera, f, o, kGrey, shift);
      reel.shown.draw(canvas, camera, f, o, kObjectColours[o], shift);
    }
    script += "unset object\nunset label\n" + canvas.script() + kNothing;
  }
  draw_beside(out, [&](const std::string& beside) {
    const ScratchFolder folder;
    const std::string terminal = fmt::format(
        "set encoding utf8\nset terminal gif animate delay {} loop 0 size {},{} font 'DejaVuSans,22'\n"
        "set output {}\n",
        std::max<std::size_t>(4, 48 / reel.parts), kWidth, height, gnuplot_text(beside));
    run_gnuplot(terminal + script + "unset output\n", folder);
  });
}

void draw_tetris(const TetrisMotion& motion, const std::string& out) {
  check(motion);
  const bool alone = motion.predicted.empty();
  const std::size_t given = alone ? 0 : motion.steps() - motion.predicted_steps();
  Film truth, predicted;
  for (std::size_t step = given; step < motion.steps(); ++step) {
    truth.add(scene_at(motion.truth, step));
    if (!alone) predicted.add(scene_at(motion.predicted, step - given));
  }
  const Camera camera;
  const Places places(camera, truth);
  constexpr double kGap = 1.5, kMargin = 2.2,
                   kHead = 2.0;  // between pictures, for names at the left, for steps
  const double width = static_cast<double>(truth.size()) * (places.width() + kGap) + kMargin;
  const std::size_t rows = alone ? 1 : 2;
  const double height = static_cast<double>(rows) * (places.height() + kGap) - kGap + kHead;
  constexpr int kWidth = 1100;
  Canvas canvas(kWidth / width);
  for (std::size_t row = 0; row < rows; ++row) {
    const bool made = row == 0 && !alone;
    const double top = -static_cast<double>(row) * (places.height() + kGap);
    canvas.label({kMargin / 2, top - places.height() / 2}, made ? motion.model : "truth",
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
        if (made) truth.draw(canvas, camera, step, o, kGrey, shift);
        (made ? predicted : truth).draw(canvas, camera, step, o, kObjectColours[o], shift);
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
