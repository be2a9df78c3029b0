// End-to-end tests of hostile files, two writers, signals and closed streams.

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "gcan/data/generate.h"
#include "gcan/data/well_file.h"
#include "tests/cli/run_program.h"
#include "tests/cli/tiny_training.h"
#include "tests/data/scratch.h"

namespace gcan::cli {
namespace attacks_test {

namespace fs = std::filesystem;
using test::contents;
using test::run_gcan;
using test::Scratch;

test::Outcome run_shell(const std::string& script) { return test::run_program({"/bin/sh", "-c", script}); }

std::string gcan() { return std::string("'") + GCAN_PROGRAM + "'"; }

bool has_gnuplot() { return run_shell("gnuplot --version").code == 0; }

// A file of fields in which every text is the attack.
std::string hostile_file(const Scratch& scratch, const std::string& attack, std::size_t points) {
  data::Description d;
  d.dataset = "shallow-water";
  d.grid_type = "cartesian";
  std::vector<double> places(points);
  for (std::size_t i = 0; i < points; ++i) places[i] = static_cast<double>(i);
  d.space[0] = {"x", attack, places};
  d.space[1] = {"y", attack, places};
  d.area.assign(points, 1.0 / static_cast<double>(points));
  d.frame_times = {0, 1};
  d.frame_steps = {0, 1};
  d.fields.push_back({"u", attack, {}, attack});
  d.splits = {1, 0, 0};
  const std::string path = scratch / "hostile.h5";
  data::WellWriter writer(path, d, false);
  data::Trajectory trajectory = data::empty_trajectory(d);
  for (std::size_t i = 0; i < trajectory.fields[0].size(); ++i)
    trajectory.fields[0][i] = static_cast<float>(i % 17);
  writer.write(0, trajectory);
  writer.finish();
  return path;
}

TEST(Attacks, ADataFileRunsNoCommands) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  for (const std::string quote : {"", "'", "\""}) {
    const Scratch scratch;
    const std::string mark = scratch / "PWNED";
    const std::string attack = "x" + quote + "\nsystem(\"touch " + mark + "\")\n#";
    const std::string file = hostile_file(scratch, attack, 8);
    const auto outcome = run_gcan({"plot", file, "--out", scratch / "a.png"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(fs::exists(scratch / "a.png"));
    EXPECT_FALSE(fs::exists(mark));
    // The name of the picture as an attack, and one that gnuplot would take for a command to write to.
    const auto named = run_gcan({"plot", file, "--out", scratch / ("a'\nsystem(\"touch PWNED\")\n#.png")});
    EXPECT_EQ(named.code, 0) << named.err;
    const auto pipe =
        run_shell("cd '" + scratch / "" + "' && " + gcan() + " plot hostile.h5 --out '|touch PWNED;.png'");
    EXPECT_EQ(pipe.code, 0) << pipe.err;
    EXPECT_FALSE(fs::exists(mark));
    EXPECT_FALSE(fs::exists("PWNED"));
  }
}

// gcan in that folder, with arguments that no shell sees.
test::Outcome run_in(const Scratch& scratch, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", scratch / "", GCAN_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return test::run_program(words);
}

// Fields, components, units and axes that are the attack, with trajectories enough for a training.
void write_hostile_data(const std::string& path, const std::string& attack) {
  constexpr int kFrames = 6;
  data::Description d;
  d.dataset = attack;
  d.grid_type = "cartesian";
  std::vector<double> places(16);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<double>(i);
  d.space[0] = {"x" + attack, attack, places};
  d.space[1] = {"y" + attack, attack, places};
  d.area.assign(places.size(), 1.0 / static_cast<double>(places.size()));
  for (int i = 0; i < kFrames; ++i) {
    d.frame_times.push_back(i);
    d.frame_steps.push_back(i);
  }
  d.fields.push_back({"s" + attack, attack, {}, attack});
  d.fields.push_back({"v" + attack, attack, {"a" + attack, "b" + attack}, attack});
  d.splits = {3, 1, 1};
  data::WellWriter writer(path, d, false);
  for (int t = 0; t < d.trajectories(); ++t) {
    data::Trajectory trajectory = data::empty_trajectory(d);
    for (auto& field : trajectory.fields)
      for (std::size_t i = 0; i < field.size(); ++i) field[i] = static_cast<float>((i + 3 * t) % 17);
    writer.write(t, trajectory);
  }
  writer.finish();
}

std::string toml_text(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return result + "\"";
}

// A training on such data in a folder of such a name: no command of gcan runs what stands there.
TEST(Attacks, ARunAndItsFolderRunNoCommands) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  for (const std::string quote : {"'", "\""}) {
    const Scratch scratch;
    // Without blanks, which are taken away from names in configurations.
    const std::string attack = quote + "\nsystem(\"touch\tPWNED\")\n!touch\tPWNED\n#", run = "run" + attack;
    write_hostile_data(scratch / "data.h5", attack);
    std::ofstream(scratch / "run.toml")
        << "[model]\nname = \"gca-resnet\"\nchannels = 2\nblocks = 1\n[data]\nkind = \"fluid\"\nhistory = 2\n"
        << "fields = \"s,v\"\nnames = " << toml_text("s" + attack + ",v" + attack)
        << "\nfile = \"data.h5\"\n[train]\nsteps = 2\nbatch = 2\nvalidate_every = 2\n";
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"train", "run.toml", "--out", run},
          {"plot", "data.h5", "--field", "s" + attack, "--out", "a.png"},
          {"plot", "data.h5", "--field", "a" + attack, "--animate", "--out", "a.gif"},
          {"rollout", run, "--out", "r" + attack + ".png"},
          {"rollout", run, "--out", "r" + attack + ".gif"},
          {"report", run, "--out", "report" + attack}}) {
      const auto outcome = run_in(scratch, command);
      EXPECT_EQ(outcome.code, 0) << command.front() << ": " << outcome.err;
    }
    for (const auto& entry : fs::recursive_directory_iterator(scratch / ""))
      EXPECT_NE(entry.path().filename(), "PWNED") << entry.path();
  }
}

// Names with control characters in an error: one whole line, and no codes for the terminal.
TEST(Attacks, AnErrorShowsControlCharacters) {
  const Scratch scratch;
  test::expect_error(run_in(scratch, {"rollout", "run\nnext\x1b[2J", "--out", "a.png"}), 1,
                     "'run\\nnext\\x1b[2J'");
  write_hostile_data(scratch / "data.h5", "\x1b[31m\n");
  test::expect_error(run_in(scratch, {"plot", "data.h5", "--field", "none", "--out", "a.png"}), 1,
                     "use one of s\\x1b[31m\\n");
}

TEST(Attacks, TwoSimulationsOfOneFile) {
  const Scratch scratch;
  const std::string out = scratch / "t.h5";
  const std::string one = gcan() + " simulate tetris --train 9000 --out '" + out + "'";
  const auto outcome = run_shell(one + " > '" + out + ".1' 2>&1 & " + one + " > '" + out +
                                 ".2' 2>&1; a=$?; wait $!; echo $a $?");
  const std::string said = contents(out + ".1") + contents(out + ".2");
  EXPECT_TRUE(outcome.out == "0 1\n" || outcome.out == "1 0\n" || outcome.out == "0 0\n")
      << outcome.out << said;
  if (outcome.out != "0 0\n") {
    EXPECT_NE(said.find("is being written by"), std::string::npos) << said;
  }
  const data::TetrisFile file(out);
  EXPECT_EQ(file.read(data::Split::train).trajectories, 9000U);
  EXPECT_FALSE(fs::exists(out + ".lock"));
  EXPECT_FALSE(fs::exists(out + ".partial"));
}

// The same of simulations that go on where an earlier one ended.
TEST(Attacks, TwoSimulationsOfOneFluidFile) {
  const Scratch scratch;
  for (const std::string command :
       {"shallow-water --initial williamson2 --truncation 10 --latitudes 16 --longitudes 32 --frames 6 "
        "--time-step 600 --train 24",
        "navier-stokes --cells 32 --length 8 --steps 12 --train 24"}) {
    const std::string out = scratch / (command.substr(0, 5) + ".h5");
    const std::string one = gcan() + " simulate " + command + " --threads 1 --out '" + out + "'";
    const auto outcome = run_shell(one + " > '" + out + ".1' 2>&1 & " + one + " > '" + out +
                                   ".2' 2>&1; a=$?; wait $!; echo $a $?");
    const std::string said = contents(out + ".1") + contents(out + ".2");
    EXPECT_TRUE(outcome.out == "0 1\n" || outcome.out == "1 0\n" || outcome.out == "0 0\n")
        << outcome.out << said;
    if (outcome.out != "0 0\n") {
      EXPECT_NE(said.find("is being written by"), std::string::npos) << said;
    }
    ASSERT_EQ(run_shell(one.substr(0, one.find(" --out")) + " --out '" + out + ".alone'").code, 0);
    EXPECT_TRUE(contents(out) == contents(out + ".alone")) << command;
    EXPECT_FALSE(fs::exists(out + ".lock"));
    EXPECT_FALSE(fs::exists(out + ".partial"));
  }
}

// While gnuplot draws: as soon as a scratch folder is there, it is about to run.
TEST(Attacks, SignalsLeaveNothingBehind) {
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const Scratch scratch;
  hostile_file(scratch, "m", 400);
  const std::string run = test::tiny_fluid_training(scratch);
  for (const std::string command :
       {"plot hostile.h5 --animate --out a.gif", "rollout fluid --out a.gif", "report fluid --out out"}) {
    for (const char* name : {"TERM", "INT", "HUP"}) {
      fs::create_directory(scratch / "tmp");
      // A shell starts background processes with SIGINT ignored, which env undoes.
      const auto outcome = run_shell(
          "cd '" + scratch / "" + "'; TMPDIR='" + scratch / "tmp" +
          "'; export TMPDIR; exec 2> err; env --default-signal=INT " + gcan() + " " + command +
          " > said & p=$!; "
          "n=0; while [ -z \"$(ls tmp)\" ] && [ $n -lt 2000 ]; do sleep 0.01; n=$((n+1)); done; sleep 0.05; "
          "kill -" +
          name +
          " $p; wait $p; echo $?; sleep 0.3; ls tmp; find . -name '*.partial' -o -name '*.lock'; pgrep -f '" +
          scratch / "tmp" + "/gcan-plo[t]' | wc -l");
      const std::string code = outcome.out.substr(0, outcome.out.find('\n'));
      const std::string expected = name == std::string("TERM")  ? "143"
                                   : name == std::string("INT") ? "130"
                                                                : "129";
      // Where it was done before the signal came, that is told by 0.
      EXPECT_TRUE(code == expected || code == "0") << command << name << ": " << outcome.out;
      EXPECT_EQ(outcome.out, code + "\n0\n") << command << name << contents(scratch / "err");
      for (const char* made : {"tmp", "a.gif", "out"}) fs::remove_all(scratch / made);
    }
  }
}

// Without streams 0 to 2 the first file that is opened would get their numbers, and progress its lines.
TEST(Attacks, ClosedStreamsDoNotReachFiles) {
  const Scratch scratch;
  const std::string arguments = " simulate tetris --train 9000 --out ";
  EXPECT_EQ(run_shell(gcan() + arguments + "'" + scratch / "a.h5" + "'").code, 0);
  run_shell(gcan() + arguments + "'" + scratch / "b.h5" + "' <&- 2>&-");
  EXPECT_TRUE(contents(scratch / "a.h5") == contents(scratch / "b.h5"));
  const auto closed = run_shell(gcan() + arguments + "'" + scratch / "c.h5" + "' >&-");
  EXPECT_EQ(closed.code, 1);
  EXPECT_NE(closed.err.find("the output could not be written"), std::string::npos) << closed.err;
}

TEST(Attacks, LittleMemoryIsASentence) {
  const Scratch scratch;
  const auto outcome =
      run_shell("ulimit -v 60000; " + gcan() + " simulate tetris --threads 1 --train 20000 --out '" +
                scratch / "a.h5" + "'");
  test::expect_error(outcome, 1, "out of memory: a block of");
  EXPECT_FALSE(fs::exists(scratch / "a.h5"));
}

TEST(Attacks, ADamagedFileIsRefused) {
  const Scratch scratch;
  const std::string file = hostile_file(scratch, "m", 8);
  std::string bytes = contents(file);
  bytes[2000] = static_cast<char>(bytes[2000] ^ 4);
  std::ofstream(file, std::ios::binary) << bytes;
  test::expect_error(run_gcan({"plot", file, "--out", scratch / "a.png"}), 1, "damaged or was changed");
}

}  // namespace attacks_test
}  // namespace gcan::cli
