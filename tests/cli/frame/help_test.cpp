// Output without computation: help, invalid values, and how fast it is.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/run_program.h"
#include "tests/data/scratch.h"

namespace gcan::test {
namespace help_test {

using Words = std::vector<std::string>;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Words with(Words words, const std::string& last) {
  words.push_back(last);
  return words;
}

// The names in the section "Commands:" of a help.
Words commands_in(const std::string& help) {
  Words names;
  const auto at = help.find("\nCommands:\n");
  if (at == std::string::npos) return names;
  std::istringstream lines(help.substr(at + 11));
  for (std::string line; std::getline(lines, line) && line.starts_with("  ");) {
    if (line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return names;
}

// Every command and subcommand there is.
void collect(const Words& path, std::vector<Words>& all) {
  const Outcome outcome = run_gcan(with(path, "--help"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  all.push_back(path);
  for (const std::string& name : commands_in(outcome.out)) collect(with(path, name), all);
}

const std::vector<Words>& all_commands() {
  static const std::vector<Words> all = [] {
    std::vector<Words> found;
    collect({}, found);
    return found;
  }();
  return all;
}

TEST(Help, FindsAllCommands) {
  EXPECT_GT(all_commands().size(), 25U);
  EXPECT_NE(std::find(all_commands().begin(), all_commands().end(), Words{"reproduce", "runtimes"}),
            all_commands().end());
}

TEST(Help, HasAnExampleAndNoLibraryMessages) {
  for (const Words& path : all_commands()) {
    const std::string help = run_gcan(with(path, "--help")).out;
    EXPECT_TRUE(contains(help, "Example")) << help;
    for (const char* raw : {"{false}", "{true}", " INT", " UINT", " TEXT", " FLOAT", " in [", "REQUIRED",
                            "Excludes", "SUBCOMMAND", "BOOLEAN"}) {
      EXPECT_FALSE(contains(help, raw)) << raw << " in " << help;
    }
  }
}

TEST(Help, IsTheSameForBothForms) {
  for (const Words& path : all_commands()) {
    Words words{"help"};
    words.insert(words.end(), path.begin(), path.end());
    EXPECT_EQ(run_gcan(words).out, run_gcan(with(path, "--help")).out);
  }
  expect_error(run_gcan({"help", "trian"}), 2, "no command 'trian'; did you mean 'train'?");
  expect_error(run_gcan({"help", "simulate", "tertis"}), 2, "did you mean 'tetris'?");
}

// The values that --preset small or literal changes, and those that no preset changes.
TEST(Help, ListsTheValuesOfPresets) {
  // In one line.
  const auto help = [](const char* kind) {
    std::istringstream words(run_gcan({"simulate", kind, "--help"}).out);
    std::string text;
    for (std::string word; words >> word;) text += word + " ";
    return text;
  };
  for (const char* part : {"wavenumber T; also sets the matching grid; paper: 62, small: 31",
                           "Gauss-Legendre latitudes; paper: 96, small: 48", "paper: 88, small: 22",
                           "Length of a step [s]; default: 3290"}) {
    EXPECT_TRUE(contains(help("shallow-water"), part)) << part << " in " << help("shallow-water");
  }
  for (const char* part : {"paper: 128, small: 64", "Side of the box [m]; paper: 32, small: 16",
                           "Length of a step [s]; default: 1.5"}) {
    EXPECT_TRUE(contains(help("navier-stokes"), part)) << part << " in " << help("navier-stokes");
  }
  for (const char* part : {"paper: haar, literal: none", "paper: 0.01, literal: 0", "default: 8"}) {
    EXPECT_TRUE(contains(help("tetris"), part)) << part << " in " << help("tetris");
  }
}

TEST(Help, FitsAScreen) {
  for (const Words& path : all_commands()) {
    std::istringstream lines(run_gcan(with(path, "--help")).out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120U) << line;
  }
}

TEST(Manual, NamesEveryCommandAndOption) {
  const Outcome manual = run_gcan({"help", "--man"});
  EXPECT_EQ(manual.code, 0) << manual.err;
  EXPECT_TRUE(manual.out.starts_with(".TH GCAN 1"));
  for (const char* part :
       {".SS gcan train", ".SS gcan simulate tetris", "\\-\\-threads", "\\-\\-set", ".SH EXIT STATUS"}) {
    EXPECT_TRUE(contains(manual.out, part)) << part;
  }
}

struct Mistake {
  Words words;
  std::string sentence;
};

class Mistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreReportedInOurWords) { expect_error(run_gcan(GetParam().words), 2, GetParam().sentence); }

INSTANTIATE_TEST_SUITE_P(
    Values, Mistakes,
    ::testing::Values(
        Mistake{{"watch", "runs", "--port", "99999"},
                "--port expects a whole number from 0 to 65535, not '99999'"},
        Mistake{{"watch", "runs", "--port", "http"},
                "--port expects a whole number from 0 to 65535, not 'http'"},
        Mistake{{"train", "a.toml", "--set"}, "--set expects KEY=VALUE, but nothing follows it"},
        Mistake{{"rollout", "runs/a", "--index", "two"}, "--index expects a whole number from 0"},
        Mistake{{"reproduce", "runtimes", "--batch", "0"},
                "--batch expects a whole number from 1 to 4096, not '0'"},
        Mistake{{"reproduce", "tetris-mlp", "--trajectories", "256,x"},
                "--trajectories expects a whole number"},
        Mistake{{"plot", "a.h5", "--out", "b.png", "--out", "c.png"}, "--out is given 2 times; use it once"},
        Mistake{{"doctor", "--json=perhaps"}, "--json takes no value"}));

struct Cost {
  double seconds;  // of CPU
  long kilobytes;
};

Cost cost_of(Words words) {
  words.insert(words.begin(), GCAN_PROGRAM);
  const pid_t child = fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(126);
    execv(words.front().c_str(), detail::pointers(words).data());
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  EXPECT_EQ(status, 0) << words[1];
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss};
}

// Loading torch alone takes ten times as long. The best of several runs, because the machine may be busy.
TEST(StartUp, LoadsNoTorchAndTakesNoTime) {
  if (std::string(GCAN_SANITIZERS) != "") GTEST_SKIP() << "sanitizers are slow";
  for (const Words& words : {Words{"--version"}, Words{"help"}, Words{"list"}, Words{"list", "gca-unet"},
                             Words{"train", "--help"}, Words{"reproduce", "navier-stokes", "--help"}}) {
    Cost best = cost_of(words);
    for (int i = 0; i < 4; ++i) best.seconds = std::min(best.seconds, cost_of(words).seconds);
    EXPECT_LT(best.seconds, 0.05) << words.front();
    EXPECT_LT(best.kilobytes, 40'000) << words.front();
  }
}

TEST(Configuration, MissingOneNamesThePlacesSearched) {
  const Outcome outcome = run_gcan({"train", "tetris/gca-mpl"});
  expect_error(outcome, 1, "there is no configuration 'tetris/gca-mpl'");
  EXPECT_TRUE(contains(outcome.err, "share/gcan/configs")) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "did you mean 'tetris/gca-mlp'?")) << outcome.err;
}

// It is found from any folder, and only lacks its data.
TEST(Configuration, InstalledOnesAreFoundByName) {
  const Scratch scratch;
  for (const char* name : {"tetris/gca-mlp", "configs/tetris/gca-mlp.toml"}) {
    const Outcome outcome =
        run_gcan({"train", name, "--set", "data.file=" + (scratch / "none.h5"), "--out", scratch / "run"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_TRUE(contains(outcome.err, "none.h5")) << outcome.err;
  }
}

}  // namespace help_test
}  // namespace gcan::test
