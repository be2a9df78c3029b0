// The guide to your own data: every command of docs/own-data.md verbatim, with fewer steps.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/cli/run_program.h"
#include "tests/data/scratch.h"
#include "tests/runner/source_dir.h"

namespace gcan::test {
namespace own_data_test {

namespace fs = std::filesystem;

bool installed(const std::string& what) { return run_program({"/bin/sh", "-c", what}).code == 0; }

// Indented lines that begin with the program's name or Python's.
std::vector<std::string> commands() {
  std::vector<std::string> result;
  std::ifstream guide(test::source_dir() + "/docs/own-data.md");
  for (std::string line; std::getline(guide, line);)
    if (line.starts_with("    gcan ") || line.starts_with("    /usr/bin/python3 "))
      result.push_back(line.substr(4));
  return result;
}

TEST(OwnData, TheGuideWorksWordForWord) {
  if (!installed("/usr/bin/python3 -c 'import h5py'"))
    GTEST_SKIP() << "h5py is not installed (Debian: python3-h5py)";
  if (!installed("gnuplot --version")) GTEST_SKIP() << "gnuplot is not installed (Debian: gnuplot-nox)";
  const Scratch scratch;
  fs::create_directory_symlink(test::source_dir() + "/examples", scratch / "examples");
  const std::string gcan = fs::path(GCAN_PROGRAM).parent_path().string();
  const std::string place = "cd " + (scratch / "") + " && PATH=" + gcan + ":$PATH && ";
  int trained = 0;
  for (std::string command : commands()) {
    if (command.starts_with("gcan train")) {
      command += " --set train.steps=2";
      ++trained;
    }
    const Outcome outcome = run_program({"/bin/sh", "-c", place + command});
    EXPECT_EQ(outcome.code, 0) << command << '\n' << outcome.err;
    if (const auto at = command.find("--out "); at != std::string::npos) {
      const std::string out = command.substr(at + 6, command.find(' ', at + 6) - at - 6);
      EXPECT_TRUE(fs::exists(scratch / out)) << command;
    }
  }
  EXPECT_GE(trained, 2);
  EXPECT_TRUE(fs::exists(scratch / "compared/rollout.gif"));
}

TEST(OwnData, AFileWithoutSplitsAsksForThem) {
  if (!installed("/usr/bin/python3 -c 'import h5py'"))
    GTEST_SKIP() << "h5py is not installed (Debian: python3-h5py)";
  const Scratch scratch;
  const std::string data = scratch / "wave.h5", config = test::source_dir() + "/examples/own-data/wave.toml";
  ASSERT_EQ(run_program({"/usr/bin/python3", test::source_dir() + "/examples/own-data/wave.py", data}).code,
            0);
  const auto with = [&](const std::string& setting) {
    return run_gcan(
        {"train", config, "--out", scratch / "run", "--set", "data.file=" + data, "--set", setting});
  };
  expect_error(with("data.valid=0"), 1, "data.valid");
  expect_error(with("data.fields=v,s"), 1, "pressure (scalar), velocity (vector)");
  expect_error(with("data.names=pressure,speed"), 1, "velocity");
}

}  // namespace own_data_test
}  // namespace gcan::test
