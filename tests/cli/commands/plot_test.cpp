#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/cli/run_program.h"
#include "tests/data/scratch.h"

namespace gcan::test {
namespace plot_test {

class Plot : public testing::Test {
 protected:
  void SetUp() override {
    if (run_program({"/bin/sh", "-c", "gnuplot --version"}).code != 0)
      GTEST_SKIP() << "gnuplot is not installed (Debian: gnuplot-nox)";
    ASSERT_EQ(run_gcan({"simulate", "shallow-water", "--preset", "small", "--frames", "3", "--trajectories",
                        "1", "--out", water})
                  .code,
              0);
    ASSERT_EQ(run_gcan({"simulate", "navier-stokes", "--cells", "16", "--length", "4", "--steps", "8",
                        "--trajectories", "1", "--out", smoke})
                  .code,
              0);
  }

  // Draws and returns how the picture begins.
  static std::string drawn(const std::vector<std::string>& arguments, const std::string& out) {
    const Outcome outcome = run_gcan(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "wrote " + out + "\n");
    EXPECT_GT(std::filesystem::file_size(out), 5000U);
    std::ifstream file(out, std::ios::binary);
    std::string start(6, '\0');
    file.read(start.data(), 6);
    return start;
  }

  Scratch scratch;
  std::string water = scratch / "sw.h5", smoke = scratch / "ns.h5";
};

TEST_F(Plot, DrawsPicturesOfBothKinds) {
  const std::string out = scratch / "a.png";
  for (const char* field : {"eta", "u", "speed"})
    EXPECT_EQ(drawn({"plot", water, "--field", field, "--out", out}, out).substr(1, 3), "PNG");
  EXPECT_EQ(drawn({"plot", smoke, "--frame", "0", "--out", out}, out).substr(1, 3), "PNG");
  EXPECT_FALSE(std::filesystem::exists(out + ".partial"));
}

TEST_F(Plot, Animates) {
  const std::string out = scratch / "a.gif";
  EXPECT_EQ(drawn({"plot", water, "--animate", "--out", out}, out), "GIF89a");
  EXPECT_EQ(drawn({"plot", smoke, "--field", "vy", "--out", out}, out), "GIF89a");
}

TEST_F(Plot, TetrisNeedsNoNetwork) {
  const std::string tetris = scratch / "tetris.h5", gif = scratch / "motion.gif",
                    png = scratch / "motion.png";
  ASSERT_EQ(run_gcan({"simulate", "tetris", "--train", "2", "--test", "4", "--out", tetris}).code, 0);
  EXPECT_EQ(drawn({"plot", tetris, "--index", "3", "--out", gif}, gif), "GIF89a");
  EXPECT_EQ(drawn({"plot", tetris, "--split", "train", "--out", png}, png).substr(1, 3), "PNG");
  expect_error(run_gcan({"plot", tetris, "--index", "4", "--out", gif}), 1, "split 'test', which has 4");
  expect_error(run_gcan({"plot", tetris, "--split", "valid", "--out", gif}), 1, "split 'valid', which has 0");
  expect_error(run_gcan({"plot", tetris, "--field", "u", "--out", gif}), 2, "are for fields");
  expect_error(run_gcan({"plot", water, "--split", "test", "--out", gif}), 2, "--split is for Tetris");
}

// Two fields, two files.
TEST_F(Plot, DefaultNamesDescribeThePicture) {
  const auto named = [&](const std::string& more, const std::string& file) {
    const Outcome outcome =
        run_program({"/bin/sh", "-c", "cd " + (scratch / "") + " && " GCAN_PROGRAM " plot sw.h5 " + more});
    EXPECT_EQ(outcome.out, "wrote " + file + "\n") << outcome.err;
    EXPECT_TRUE(std::filesystem::exists(scratch / file));
  };
  named("", "sw.png");
  named("--field u", "sw-u.png");
  named("--field u --frame 1", "sw-u-frame1.png");
  named("--field u --trajectory 0", "sw-u-0.png");
}

TEST_F(Plot, MistakesAreOneSentence) {
  const std::string out = scratch / "a.png";
  expect_error(run_gcan({"plot"}), 2, "missing argument FILE");
  expect_error(run_gcan({"plot", scratch / "none.h5", "--out", out}), 1, "no such file");
  expect_error(run_gcan({"plot", water, "--field", "rain", "--out", out}), 1,
               "use one of eta, u, v, speed, orography");
  expect_error(run_gcan({"plot", water, "--frame", "3", "--out", out}), 1, "no frame 3");
  expect_error(run_gcan({"plot", water, "--frame", "x", "--out", out}), 2, "'x'");
  expect_error(run_gcan({"plot", water, "--trajectory", "1", "--out", out}), 1, "no trajectory 1");
  expect_error(run_gcan({"plot", water, "--trajectory", "-1", "--out", out}), 2,
               "--trajectory expects a whole number from 0");
  expect_error(run_gcan({"plot", water, "--out", scratch / "a.bmp"}), 2, ".png or .gif");
  expect_error(run_gcan({"plot", water, "--animate", "--out", out}), 2,
               "--out must end in .gif for an animation");
  expect_error(run_gcan({"plot", water, "--out", "/no/such/folder/a.png"}), 1, "no folder '/no/such/folder'");
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(Plot, ReportsAMissingGnuplot) {
  expect_error(run_gcan({"plot", water, "--out", scratch / "a.png"}, {{"PATH=/nowhere"}, ""}), 1,
               "gnuplot-nox");
}

}  // namespace plot_test
}  // namespace gcan::test
