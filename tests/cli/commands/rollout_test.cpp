// gcan rollout, from end to end.

#include <gtest/gtest.h>

#include "tests/cli/run_program.h"
#include "tests/cli/tiny_training.h"

namespace gcan::test {
namespace rollout_test {

namespace fs = std::filesystem;

std::string first_bytes(const std::string& path, std::size_t count) {
  std::string bytes(count, '\0');
  std::ifstream(path, std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(count));
  return bytes;
}

TEST(Rollout, DrawsMovingAndStillPictures) {
  const Scratch scratch;
  const std::string run = tiny_training(scratch);
  const Outcome moving = run_gcan({"rollout", run, "--out", scratch / "a.gif"});
  EXPECT_EQ(moving.code, 0) << moving.err;
  EXPECT_NE(moving.out.find("MLP, trajectory 0 of the split 'test'"), std::string::npos) << moving.out;
  EXPECT_EQ(first_bytes(scratch / "a.gif", 6), "GIF89a");
  const Outcome still = run_gcan({"rollout", run, "--split", "valid", "--index", "3", "--checkpoint", "last",
                                  "--out", scratch / "b.png"});
  EXPECT_EQ(still.code, 0) << still.err;
  EXPECT_EQ(first_bytes(scratch / "b.png", 4), "\x89PNG");
}

TEST(Rollout, DrawsFields) {
  const Scratch scratch;
  const std::string run = tiny_fluid_training(scratch);
  const Outcome moving = run_gcan({"rollout", run, "--out", scratch / "a.gif"});
  EXPECT_EQ(moving.code, 0) << moving.err;
  EXPECT_NE(moving.out.find("GCA-ResNet, trajectory 0 of the split 'test'"), std::string::npos) << moving.out;
  EXPECT_EQ(first_bytes(scratch / "a.gif", 6), "GIF89a");
  const Outcome still = run_gcan({"rollout", run, "--split", "train", "--index", "2", "--start", "1",
                                  "--steps", "1", "--field", "smoke,vx", "--out", scratch / "b.png"});
  EXPECT_EQ(still.code, 0) << still.err;
  EXPECT_NE(still.out.find("1 steps from frame 1 on"), std::string::npos) << still.out;
  EXPECT_EQ(first_bytes(scratch / "b.png", 4), "\x89PNG");
  const std::string out = scratch / "x.pdf";
  expect_error(run_gcan({"rollout", run, "--out", out, "--field", "smok"}), 1, "did you mean 'smoke'?");
  expect_error(run_gcan({"rollout", run, "--out", out, "--steps", "0"}), 2, "--steps");
  expect_error(run_gcan({"rollout", run, "--out", out, "--steps", "99"}), 1, "99 steps");
  expect_error(run_gcan({"rollout", run, "--out", out, "--start", "-1"}), 2, "--start");
  expect_error(run_gcan({"rollout", run, "--out", out, "--index", "2"}), 1, "no trajectory 2");
  EXPECT_FALSE(fs::exists(out));
}

TEST(Rollout, MistakesAreOneSentenceAndLeaveNoFiles) {
  const Scratch scratch;
  const std::string run = tiny_training(scratch), out = scratch / "x.gif";
  expect_error(run_gcan({"rollout", "--out", out}), 2, "missing argument RUN");
  expect_error(run_gcan({"rollout", run}), 2, "--out");
  expect_error(run_gcan({"rollout", run, "--out", scratch / "x.mp4"}), 2, ".gif");
  expect_error(run_gcan({"rollout", run, "--out", out, "--index", "8"}), 1, "no example 8");
  expect_error(run_gcan({"rollout", run, "--out", out, "--index", "-1"}), 2,
               "--index expects a whole number from 0");
  expect_error(run_gcan({"rollout", run, "--out", out, "--split", "tests"}), 2, "no split 'tests'");
  expect_error(run_gcan({"rollout", run, "--out", out, "--checkpoint", "first"}), 2, "no checkpoint 'first'");
  expect_error(run_gcan({"rollout", run, "--out", out, "--steps", "2"}), 2, "for fluid runs");
  expect_error(run_gcan({"rollout", scratch / "none", "--out", out}), 1, "not a run folder");
  expect_error(run_gcan({"rollout", run, "--out", scratch / "no/x.gif"}), 1, "no/x.gif");
  EXPECT_FALSE(fs::exists(out));
}

}  // namespace rollout_test
}  // namespace gcan::test
