#include "gcan/report/tetris_scene.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gcan/sim/tetris/simulate.h"
#include "tests/report/pictures.h"

namespace gcan::report {
namespace tetris_scene_test {

std::vector<float> motion() {
  const sim::tetris::Job job{};
  std::vector<float> positions(job.size());
  sim::tetris::simulate(job, positions);
  return positions;
}

TEST(TetrisScene, ReadsObjectsOfAStep) {
  const auto positions = motion();
  const Scene scene = scene_at(positions, 3);
  EXPECT_EQ(scene[5][2][1], static_cast<double>(positions[((3 * 32) + 5 * 4 + 2) * 3 + 1]));
  const Scene half = mixed(scene, scene_at(positions, 4), 0.5);
  EXPECT_NEAR(half[1][1][1], (scene[1][1][1] + scene_at(positions, 4)[1][1][1]) / 2, 1e-12);
}

TEST(TetrisScene, TheCameraKeepsLengthsAcrossTheView) {
  const Camera camera;
  const auto dot = [](const Point3& a, const Point3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
  for (const auto& [a, b, value] : {std::tuple{camera.right, camera.right, 1.0},
                                    {camera.up, camera.up, 1.0},
                                    {camera.towards, camera.towards, 1.0},
                                    {camera.right, camera.up, 0.0},
                                    {camera.right, camera.towards, 0.0},
                                    {camera.up, camera.towards, 0.0}})
    EXPECT_NEAR(dot(a, b), value, 1e-12);
  EXPECT_GT(camera.seen({0, 0, 1})[1], 0);  // up is up
}

TEST(TetrisScene, EveryCubeShowsThreeFacesOnceTurned) {
  Film film;
  film.add(scene_at(motion(), 0));
  Canvas canvas(40);
  for (std::size_t o = 0; o < 8; ++o) film.draw(canvas, Camera(), 0, o, kObjectColours[o], {0, 0});
  EXPECT_EQ(test::count(canvas.script(), "polygon"), 8U * 4 * 3);
}

TEST(TetrisScene, ObjectsAreDrawnApartAndInside) {
  const auto positions = motion();
  Film film;
  for (std::size_t step = 0; step < 8; ++step) film.add(scene_at(positions, step));
  const Camera camera;
  const Places places(camera, film);
  for (std::size_t step = 0; step < 8; ++step)
    for (std::size_t o = 0; o < 8; ++o) {
      const Point2 shift = places.shift(o, {0, 0});
      for (const Point3& cube : film.scene(step)[o]) {
        const Point2 seen = camera.seen(cube);
        EXPECT_GT(seen[0] + shift[0], 0.5);
        EXPECT_LT(seen[0] + shift[0], places.width() - 0.5);
        EXPECT_LT(seen[1] + shift[1], -0.5);
        EXPECT_GT(seen[1] + shift[1], -places.height() + 0.5);
        for (std::size_t other = 0; other < o; ++other)
          for (std::size_t when = 0; when < 8; ++when)
            for (const Point3& neighbour : film.scene(when)[other]) {
              const Point2 there = camera.seen(neighbour), by = places.shift(other, {0, 0});
              EXPECT_GT(
                  std::hypot(seen[0] + shift[0] - there[0] - by[0], seen[1] + shift[1] - there[1] - by[1]),
                  1);
            }
      }
    }
}

}  // namespace tetris_scene_test
}  // namespace gcan::report
