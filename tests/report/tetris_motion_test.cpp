#include "gcan/report/tetris_motion.h"

#include <limits>

#include "gcan/sim/tetris/simulate.h"
#include "tests/report/pictures.h"

namespace gcan::report {
namespace tetris_motion_test {

using TetrisDrawing = test::Drawing;

TetrisMotion example(int steps = 5, std::size_t predicted = 2) {
  sim::tetris::Job job;
  job.options.steps = steps;
  TetrisMotion motion;
  motion.truth.resize(job.size());
  sim::tetris::simulate(job, motion.truth);
  motion.predicted.assign(motion.truth.end() - static_cast<std::ptrdiff_t>(predicted * 96),
                          motion.truth.end());
  for (float& x : motion.predicted) x += 0.1F;
  motion.model = "it's a_model";
  return motion;
}

TEST_F(TetrisDrawing, TheAnimationHasAllItsPictures) {
  for (const int between : {0, 2}) {
    animate_tetris(example(), scratch / "a.gif", between);
    EXPECT_EQ(test::gif_pictures(scratch / "a.gif"), static_cast<int>(animation_frames(example(), between)));
  }
  EXPECT_EQ(animation_frames(example(), 2) - animation_frames(example(), 0),
            8U);  // two more for each of 4 moves
  EXPECT_FALSE(std::filesystem::exists(scratch / "a.gif.partial"));
}

TEST_F(TetrisDrawing, EverythingMayBePredicted) {
  animate_tetris(example(2, 2), scratch / "a.gif", 0);
  EXPECT_EQ(test::gif_pictures(scratch / "a.gif"), static_cast<int>(animation_frames(example(2, 2), 0)));
}

TEST_F(TetrisDrawing, TheStillShowsBothRows) {
  draw_tetris(example(), scratch / "a.svg");
  const std::string svg = test::file_text(scratch / "a.svg");
  for (const char* text : {"truth", "it's a_model", "step 4", "step 5"})
    EXPECT_TRUE(test::contains(svg, text)) << text;
  EXPECT_FALSE(test::contains(svg, "step 3"));
  draw_tetris(example(), scratch / "a.png");
  EXPECT_TRUE(test::file_text(scratch / "a.png").ends_with("IEND\xae\x42\x60\x82"));
}

TEST(TetrisMotion, RejectsUndrawableData) {
  const test::Scratch scratch;
  const auto both = [&](const TetrisMotion& motion, std::initializer_list<std::string> parts) {
    test::expect_error_with([&] { draw_tetris(motion, scratch / "a.png"); }, parts);
    test::expect_error_with([&] { animate_tetris(motion, scratch / "a.gif"); }, parts);
  };
  TetrisMotion motion = example();
  motion.truth.pop_back();
  both(motion, {"true motion", "multiple of 32 x 3"});
  motion = example();
  motion.predicted.pop_back();
  both(motion, {"predicted motion", "multiple of 32 x 3"});
  motion = example();
  motion.predicted[7] = std::numeric_limits<float>::quiet_NaN();
  both(motion, {"predicted motion", "non-finite"});
  motion = example();
  motion.truth.resize(96);
  both(motion, {"prediction has 2 steps", "truth has 1"});
  test::expect_error_with([&] { animate_tetris(example(), scratch / "a.png"); }, {"a.png", ".gif"});
  test::expect_error_with([&] { draw_tetris(example(), scratch / "a.gif"); }, {"a.gif", ".png"});
  test::expect_error_with([&] { animate_tetris(example(), scratch / "a.gif", -1); }, {"from 0 to", "not -1"});
  EXPECT_TRUE(std::filesystem::is_empty(scratch / ""));
}

}  // namespace tetris_motion_test
}  // namespace gcan::report
