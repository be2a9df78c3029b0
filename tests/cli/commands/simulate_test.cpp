#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "gcan/data/tetris_file.h"
#include "gcan/data/well_file.h"
#include "tests/cli/run_program.h"
#include "tests/data/scratch.h"

namespace gcan::test {
namespace simulate_test {

using Words = std::vector<std::string>;

Words joined(Words first, const Words& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

const Words kSmoke{"simulate", "navier-stokes", "--cells", "16", "--length", "4", "--steps", "8"};
const Words kWater{"simulate", "shallow-water", "--preset", "small", "--truncation", "21", "--frames", "4"};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Simulate, WritesBothKindsAndReportsThem) {
  const Scratch scratch;
  for (const Words& kind : {kSmoke, kWater}) {
    const std::string path = scratch / kind[1];
    const Words arguments = joined(kind, {"--train", "2", "--test", "1", "--out", path, "--compress"});
    const Outcome outcome = run_gcan(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(contains(outcome.out, "wrote " + path + ": 3 trajectories (train 2, valid 0, test 1)"))
        << outcome.out;
    EXPECT_TRUE(contains(outcome.err, "3 of 3 trajectories")) << outcome.err;
    EXPECT_EQ(data::WellReader(path).description().trajectories(), 3);
    EXPECT_TRUE(contains(run_gcan(arguments).out, "complete already"));
  }
}

TEST(Simulate, ThreadsDoNotChangeTheNumbers) {
  const Scratch scratch;
  for (const char* threads : {"1", "3"})
    run_gcan(joined(kWater, {"--trajectories", "4", "--threads", threads, "--out", scratch / threads}));
  const data::WellReader one(scratch / "1"), three(scratch / "3");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(one.trajectory(i).fields, three.trajectory(i).fields);
}

// After a kill in the middle and a restart, the file is that of an uninterrupted run.
TEST(Simulate, GoesOnAfterBeingKilled) {
  const Scratch scratch;
  constexpr int kTrajectories = 60;
  const Words set =
      joined(kWater, {"--trajectories", std::to_string(kTrajectories), "--threads", "1", "--out"});
  ASSERT_EQ(run_gcan(joined(set, {scratch / "whole.h5"})).code, 0);
  std::string command = GCAN_PROGRAM;
  for (const std::string& word : joined(set, {scratch / "cut.h5"})) command += " '" + word + "'";
  run_program({"/bin/sh", "-c",
               command + " & child=$!; while [ ! -e '" + scratch / "cut.h5.partial" +
                   "' ] && kill -0 $child; do sleep 0.01; done; sleep 0.1; kill -9 $child; wait $child"});
  if (!std::filesystem::exists(scratch / "cut.h5.partial"))
    GTEST_SKIP() << "the run was over before it was killed";
  EXPECT_FALSE(std::filesystem::exists(scratch / "cut.h5"));
  const Outcome outcome = run_gcan(joined(set, {scratch / "cut.h5"}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const data::WellReader whole(scratch / "whole.h5"), cut(scratch / "cut.h5");
  for (int i = 0; i < kTrajectories; ++i) {
    ASSERT_EQ(cut.status(i), data::Status::kComplete);
    ASSERT_EQ(cut.trajectory(i).fields, whole.trajectory(i).fields) << i;
  }
  EXPECT_EQ(cut.statistics(1)->components[1].values.mean, whole.statistics(1)->components[1].values.mean);
}

// Ctrl-C reports what is on the disk and how to resume.
TEST(Simulate, CtrlCReportsWhatIsSaved) {
  const Scratch scratch;
  const auto stopped = [&](const Words& words) {
    std::string command = "exec " GCAN_PROGRAM;
    for (const std::string& word : words) command += " '" + word + "'";
    return run_program(
        {"/bin/sh", "-c", "( " + command + " ) & child=$!; sleep 0.7; kill -INT $child; wait $child"});
  };
  const Words water{"simulate", "shallow-water", "--preset", "small", "--trajectories",
                    "100000",   "--frames",      "4",        "--out", scratch / "sw.h5"};
  const Outcome outcome = stopped(water);
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_TRUE(
      contains(outcome.err, "gcan: stopped by Ctrl-C: '" + (scratch / "sw.h5") + ".partial' contains"))
      << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "of 100,000 trajectories; the same command resumes")) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(scratch / "sw.h5.partial"));
  EXPECT_TRUE(contains(stopped(water).err, "resuming ")) << outcome.err;
  const Outcome tetris = stopped({"simulate", "tetris", "--train", "4000000", "--out", scratch / "t.h5"});
  EXPECT_EQ(tetris.code, 130) << tetris.err;
  EXPECT_TRUE(contains(tetris.err, "was removed; the same command starts again")) << tetris.err;
  EXPECT_FALSE(std::filesystem::exists(scratch / "t.h5.partial"));
}

TEST(Simulate, AllUnstableIsAFailure) {
  const Scratch scratch;
  const Outcome outcome =
      run_gcan({"simulate", "shallow-water", "--preset", "small", "--truncation", "21", "--frames", "40",
                "--stirring", "1e-3", "--trajectories", "1", "--out", scratch / "a.h5"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(contains(outcome.err, "its only trajectory became unstable")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "--time-step")) << outcome.err;
  EXPECT_TRUE(std::filesystem::is_empty(scratch / ""));
}

TEST(Simulate, RefusesToGoOnWithOtherOptions) {
  const Scratch scratch;
  ASSERT_EQ(run_gcan(joined(kSmoke, {"--trajectories", "1", "--out", scratch / "a.h5"})).code, 0);
  std::filesystem::rename(scratch / "a.h5", scratch / "a.h5.partial");
  expect_error(run_gcan(joined(kSmoke, {"--trajectories", "1", "--seed", "9", "--out", scratch / "a.h5"})), 1,
               "seed 0 (now 9)");
}

TEST(Simulate, ReportsAFullDisk) {
  const Scratch scratch;
  std::string command = "trap '' XFSZ; ulimit -f 100; " GCAN_PROGRAM;
  for (const std::string& word : joined(kSmoke, {"--trajectories", "100", "--out", scratch / "a.h5"}))
    command += " '" + word + "'";
  expect_error(run_program({"/bin/sh", "-c", command}), 1, "cannot be written (File too large)");
  EXPECT_FALSE(std::filesystem::exists(scratch / "a.h5"));
}

struct Mistake {
  const char* kind;
  Words words;
  const char* part;
};

class SimulateMistakes : public testing::TestWithParam<Mistake> {};

TEST_P(SimulateMistakes, AreOneSentenceAndLeaveNoFile) {
  const Scratch scratch;
  const Words start{"simulate", GetParam().kind, "--out", scratch / "a.h5"};
  expect_error(run_gcan(joined(start, GetParam().words)), 2, GetParam().part);
  EXPECT_TRUE(std::filesystem::is_empty(scratch / ""));
}

INSTANTIATE_TEST_SUITE_P(
    All, SimulateMistakes,
    testing::Values(
        Mistake{"shallow-water", {}, "missing number of trajectories"},
        Mistake{"shallow-water", {"--trajectories", "x"}, "'x'"},
        Mistake{"shallow-water", {"--trajectories", "-1"}, "'-1'"},
        Mistake{"shallow-water", {"--trajectories", "1", "--train", "1"}, "use only one of them"},
        Mistake{"shallow-water", {"--trajectories", "1", "--preset", "huge"}, "'huge'"},
        Mistake{"shallow-water", {"--trajectories", "1", "--initial", "storm"}, "'storm'"},
        Mistake{"shallow-water", {"--trajectories", "1", "--time-step", "9000"}, "unstable"},
        Mistake{"shallow-water", {"--trajectories", "1", "--time-step", "nan"}, "a number, not 'nan'"},
        Mistake{"shallow-water", {"--trajectories", "1", "--latitudes", "95"}, "even"},
        Mistake{"shallow-water", {"--trajectories", "1", "--latitudes", "32"}, "latitudes"},
        Mistake{"shallow-water", {"--trajectories", "1", "--truncation", "2000000000"}, "T511"},
        Mistake{"shallow-water", {"--trajectories", "1", "--orography", "none.nc"}, "none.nc"},
        Mistake{"shallow-water", {"--trajectories", "1", "--jet-speed", "60;90"}, "'60;90'"},
        Mistake{"shallow-water", {"--trajectories", "1", "--frame", "3"}, "--frame"},
        Mistake{"navier-stokes", {"--trajectories", "1", "--cells", "33"}, "odd"},
        Mistake{"navier-stokes", {"--trajectories", "1", "--viscosity", "-1"}, "--viscosity is -1"},
        Mistake{"navier-stokes", {"--trajectories", "1", "--viscosity", "10"}, "--diffusion-substeps"},
        Mistake{"navier-stokes", {"--trajectories", "1", "--advection", "magic"}, "'magic'"},
        Mistake{"navier-stokes", {"--trajectories", "1", "--precision", "half"}, "'half'"},
        Mistake{"navier-stokes",
                {"--trajectories", "1", "--seed", "-3"},
                "a whole number of at least 0, not '-3'"},
        Mistake{"navier-stokes", {"--trajectories", "1", "extra"}, "'extra'"},
        Mistake{"tetris", {}, "missing number of trajectories"},
        Mistake{"tetris", {"--train", "1", "--orientation", "up"}, "haar, none, scene, not 'up'"},
        Mistake{"tetris", {"--train", "1", "--rho", "1.5"}, "rho is 1.5"},
        Mistake{"tetris", {"--train", "1", "--max-angle", "nan"}, "--max-angle expects a number, not 'nan'"},
        Mistake{"tetris", {"--train", "1", "--steps", "1"}, "steps is 1"},
        Mistake{"tetris", {"--train", "1", "--seed", "18446744073709551615"}, "not '18446744073709551615'"},
        Mistake{"tetris", {"--train", "1", "--preset", "small"}, "'paper' or 'literal'"}));

TEST(Simulate, ReportsMissingArguments) {
  expect_error(run_gcan({"simulate"}), 2, "missing simulator");
  expect_error(run_gcan({"simulate", "shalow-water"}), 2, "did you mean 'shallow-water'?");
  expect_error(run_gcan({"simulate", "navier-stokes", "--trajectories", "1"}), 2, "missing option --out");
  expect_error(run_gcan(joined(kSmoke, {"--trajectories", "1", "--out", "/no/such/folder/a.h5"})), 1,
               "no folder");
}

std::string python_with_h5py() {
  for (const char* candidate : {"/usr/bin/python3", "/usr/local/bin/python3"})
    if (std::filesystem::exists(candidate) && run_program({candidate, "-c", "import h5py"}).code == 0)
      return candidate;
  return "";
}

// Python reads it without gcan.
TEST(Simulate, H5pyReadsTheFile) {
  const Scratch scratch;
  const std::string python = python_with_h5py();
  if (python.empty()) GTEST_SKIP() << "there is no Python with h5py";
  ASSERT_EQ(run_gcan(joined(kWater, {"--trajectories", "2", "--out", scratch / "a.h5"})).code, 0);
  const Outcome outcome = run_program({python, "-c", R"(
import sys, zlib, h5py
f = h5py.File(sys.argv[1])
assert f.attrs['n_trajectories'] == 2 and f.attrs['grid_type'] == 'spherical'
assert f.attrs['gravity'] == 9.81 and f['scalars/gravity'].attrs['units'] == 'm/s^2'
assert list(f['t0_fields'].attrs['field_names']) == ['eta', 'orography']
eta = f['t0_fields/eta']
assert eta.dtype == 'float32' and eta.attrs['sample_varying'] and list(eta.attrs['dim_varying']) == [True, True]
assert not f['dimensions/time'].attrs['sample_varying']
assert zlib.crc32(eta[1].tobytes()) == f['gcan/checksum'][1, 0]
mean, std = f['statistics/eta'][0, :2]
assert abs(eta[:].mean(dtype='f8') - mean) < 1e-9 and abs(eta[:].std(dtype='f8') - std) < 1e-9
)",
                                       scratch / "a.h5"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

TEST(Simulate, WritesTetris) {
  const Scratch scratch;
  const Words arguments{"simulate", "tetris", "--preset", "literal", "--train", "30",    "--valid",
                        "2",        "--test", "1",        "--rho",   "0.25",    "--out", scratch / "a.h5"};
  const Outcome outcome = run_gcan(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "a.h5: 33 trajectories (train 30, valid 2, test 1) of 8 steps"))
      << outcome.out;
  EXPECT_TRUE(contains(run_gcan(arguments).out, "complete already"));
  const data::TetrisFile file(scratch / "a.h5");
  EXPECT_EQ(file.options().rho, 0.25);
  EXPECT_EQ(file.options().orientation, sim::tetris::Orientation::none);
  expect_error(run_gcan(joined(arguments, {"--seed", "9"})), 1, "seed 0 (now 9)");
}

TEST(Simulate, AFullDiskLeavesNothingOfTetris) {
  const Scratch scratch;
  const std::string command = "trap '' XFSZ; ulimit -f 100; " GCAN_PROGRAM
                              " simulate tetris --train 1000 --out '" +
                              (scratch / "a.h5") + "'";
  const Outcome outcome = run_program({"/bin/sh", "-c", command});
  expect_error(outcome, 1, "File too large");
  EXPECT_TRUE(std::filesystem::is_empty(scratch / ""));
}

TEST(Simulate, H5pyReadsTetris) {
  const Scratch scratch;
  const std::string python = python_with_h5py();
  if (python.empty()) GTEST_SKIP() << "there is no Python with h5py";
  ASSERT_EQ(run_gcan({"simulate", "tetris", "--train", "20", "--valid", "3", "--out", scratch / "a.h5"}).code,
            0);
  const Outcome outcome = run_program({python, "-c", R"(
import sys, zlib, h5py, numpy as np
f = h5py.File(sys.argv[1])
assert f.attrs['dataset_name'] == 'tetris' and f.attrs['n_trajectories'] == 23
x, v = f['train/positions'], f['train/velocities']
assert x.shape == (20, 8, 32, 3) and x.dtype == 'float32' and f['test/positions'].shape[0] == 0
assert np.allclose(x[:, 1:] - x[:, :-1], v[:, :-1], atol=1e-5)
assert zlib.crc32(x[4].tobytes()) == f['train/checksum'][4, 0]
mean, std, rms = f['statistics/velocities'][1]
assert abs(v[..., 1].mean(dtype='f8') - mean) < 1e-9 and abs(v[..., 1].std(dtype='f8') - std) < 1e-9
assert list(f['points/object'][:5]) == [0, 0, 0, 0, 1]
assert f['points/shape'].attrs['names'][f['points/shape'][13]] == 'line'
assert f['gcan/options'].attrs['rho'] == 0.5 and f['gcan/options'].attrs['orientation'] == 'haar'
assert list(f['time'][:]) == list(range(8)) and f['train/positions'].attrs['units'] == 'side of a cube'
)",
                                       scratch / "a.h5"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
}

}  // namespace simulate_test
}  // namespace gcan::test
