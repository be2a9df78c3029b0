#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "gcan/data/well_file.h"
#include "tests/cli/run_program.h"
#include "tests/data/scratch.h"

namespace gcan::test {
namespace exchange_test {

std::string make_file(const Scratch& scratch) {
  const std::string path = scratch / "ns.h5";
  EXPECT_EQ(run_gcan({"simulate", "navier-stokes", "--cells", "16", "--length", "4", "--steps", "8",
                      "--train", "2", "--valid", "1", "--out", path})
                .code,
            0);
  return path;
}

TEST(Exchange, ExportsAndImports) {
  const Scratch scratch;
  const std::string path = make_file(scratch);
  const Outcome out = run_gcan({"export", path, "--format", "pdearena", "--out", scratch / "arena.h5"});
  EXPECT_EQ(out.code, 0) << out.err;
  EXPECT_EQ(out.out,
            "wrote " + (scratch / "arena_train.h5") + "\nwrote " + (scratch / "arena_valid.h5") + "\n");
  const Outcome in = run_gcan(
      {"import", scratch / "arena_train.h5", scratch / "arena_valid.h5", "--out", scratch / "again.h5"});
  EXPECT_EQ(in.code, 0) << in.err;
  const data::WellReader before(path), after(scratch / "again.h5");
  EXPECT_EQ(after.description().splits, before.description().splits);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(after.trajectory(i).fields, before.trajectory(i).fields);
}

TEST(Exchange, MistakesAreOneSentence) {
  const Scratch scratch;
  const std::string path = make_file(scratch);
  expect_error(run_gcan({"export"}), 2, "missing argument FILE");
  expect_error(run_gcan({"export", path}), 2, "--out");
  expect_error(run_gcan({"export", path, "--out", scratch / "b.nc"}), 2, "missing option --format");
  expect_error(run_gcan({"export", path, "--out", scratch / "b.nc", "--format", "csv"}), 2, "'csv'");
  expect_error(run_gcan({"export", path, "--out", path, "--format", "netcdf"}), 2, "both read and written");
  expect_error(run_gcan({"export", scratch / "none.h5", "--out", scratch / "b.nc", "--format", "netcdf"}), 1,
               "no such file");
  expect_error(run_gcan({"export", path, "--out", "/no/such/b.nc", "--format", "netcdf"}), 1,
               "there is no folder '/no/such'");
  expect_error(run_gcan({"import"}), 2, "missing argument FILE");
  expect_error(run_gcan({"import", path, "--out", scratch / "c.h5"}), 1, "neither pdearena's");
  EXPECT_FALSE(std::filesystem::exists(scratch / "c.h5"));
}

}  // namespace exchange_test
}  // namespace gcan::test
