// gcan algebra from end to end: results, tables, prompts and nonsense.

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <utility>

#include "tests/cli/run_program.h"
#include "tests/data/scratch.h"

namespace gcan::test {
namespace algebra_test {

using Words = std::vector<std::string>;

Outcome run_algebra(Words words, const std::string& input = "") {
  words.insert(words.begin(), "algebra");
  return run_gcan(std::move(words), {{}, "", input});
}

// The output of a successful call.
std::string output(Words words, const std::string& input = "") {
  const Outcome outcome = run_algebra(std::move(words), input);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return outcome.out;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A mistake in an expression: the expression, a caret under `column`, a sentence.
void expect_caret(const std::string& signature, const std::string& expression, std::size_t column,
                  const std::string& part) {
  const Outcome outcome = run_algebra({signature, expression});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.out, "");
  std::string picture = "  " + expression + "\n";
  picture.append(column + 2, ' ').append("^\ngcan: ");
  EXPECT_TRUE(outcome.err.starts_with(picture)) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, part)) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 3) << outcome.err;
}

TEST(AlgebraCommand, Computes) {
  EXPECT_EQ(output({"3,0,1", "(1+2e01)*(e1 - e23)"}), "2e0 + e1 - e23 - 2e0123\n");
  EXPECT_EQ(output({"G(3,0,1)", "e31"}), "-e13\n");
  EXPECT_EQ(output({"3,0,0", "-e1 + e2"}), "-e1 + e2\n");
  EXPECT_EQ(output({"3,0,0", "-(e1)", "-ans"}), "-e1\ne1\n");
}

// The examples of the help do what they claim.
TEST(AlgebraCommand, ReflectsTurnsMovesAndJoins) {
  EXPECT_EQ(output({"2,0,0", "e1 >>> (3e1 + 4e2)"}), "-3e1 + 4e2\n");
  EXPECT_EQ(output({"3,0,0", "R = exp(-pi/4 * e12); R >>> e1"}), "e2\n");
  EXPECT_EQ(output({"3,0,1", "T = 1 - 2.5e01;", "T >>> !(e0 + e1)"}), output({"3,0,1", "!(e0 + 6e1)"}));
  // The line through (1, 0, 0) and (0, 1, 0) is the intersection of the planes x + y = 1 and z = 0.
  EXPECT_EQ(output({"3,0,1", "!(e0 + e1) & !(e0 + e2)"}), output({"3,0,1", "-(e1 + e2 - e0) ^ e3"}));
  EXPECT_EQ(output({"1,3,0", "exp(0.5 e12) >>> e1"}), "1.543080635e1 - 1.175201194e2\n");
}

TEST(AlgebraCommand, SharesVariablesBetweenExpressions) {
  EXPECT_EQ(output({"3,0,0", "a = 2e1", "b = a + e2;", "a*b"}), "a = 2e1\n4 + 2e12\n");
}

TEST(AlgebraCommand, RoundsUnlessExact) {
  EXPECT_EQ(output({"3,0,0", "1/3"}), "0.3333333333\n");
  EXPECT_EQ(output({"3,0,0", "1/3", "--digits", "3"}), "0.333\n");
  EXPECT_EQ(output({"3,0,0", "0.1", "--digits", "17"}), "0.10000000000000001\n");
  EXPECT_EQ(output({"3,0,0", "--exact", "1/3"}), "0.3333333333333333\n");
  EXPECT_EQ(output({"3,0,0", "1 + 1e-16 e1"}), "1\n");
  EXPECT_EQ(output({"3,0,0", "1 + 1e-16 e1", "--exact"}), "1 + 1e-16 e1\n");
}

TEST(AlgebraCommand, PrintsTables) {
  EXPECT_EQ(output({"1,0,1", "--table"}),
            "    |   1    e0   e1  e01\n"
            "----+--------------------\n"
            "  1 |   1    e0   e1  e01\n"
            " e0 |  e0     0  e01    0\n"
            " e1 |  e1  -e01    1  -e0\n"
            "e01 | e01     0   e0    0\n");
  EXPECT_TRUE(contains(output({"1,0,1", "--table", "--product", "outer"}), " e1 |  e1  -e01    0    0\n"));
  EXPECT_EQ(output({"1,0,1", "--product", "geometric"}), output({"1,0,1", "--table"}));
  for (const char* product : {"inner", "left", "right", "regressive", "scalar", "commutator"}) {
    EXPECT_NE(output({"1,0,1", "--product", product}), output({"1,0,1", "--table"})) << product;
  }
  const std::string large = output({"3,3,0", "--table"});
  EXPECT_EQ(std::count(large.begin(), large.end(), '\n'), 66);
}

TEST(AlgebraCommand, ListsBlades) {
  EXPECT_EQ(output({"0,1,1", "--blades"}),
            "blade  grade  square  reverse  dual\n"
            "    1      0       1        1   e01\n"
            "   e0      1       0       e0    e1\n"
            "   e1      1      -1       e1    e0\n"
            "  e01      2       0     -e01    -1\n");
}

TEST(AlgebraCommand, HelpExplainsTheLanguage) {
  const std::string help = output({"--help"});
  for (const char* part : {"Usage: gcan algebra [OPTIONS] p,q,r [EXPRESSION...]", "--digits", "1e-13",
                           "v>>>x", "left_complement(x)", "grade(x, k)", "ans", "Examples:"}) {
    EXPECT_TRUE(contains(help, part)) << part;
  }
}

TEST(AlgebraCommand, NeedsNoTorch) {
  const auto lonely = std::filesystem::temp_directory_path() / ("gcan-algebra-" + std::to_string(getpid()));
  std::filesystem::copy_file(GCAN_PROGRAM, lonely);
  EXPECT_EQ(run_program({lonely.string(), "algebra", "3,0,0", "e1*e2"}).out, "e12\n");
  std::filesystem::remove(lonely);
}

TEST(AlgebraCommand, PointsAtTheColumn) {
  expect_caret("3,0,0", "1 + expp(e12)", 4, "did you mean 'exp'?");
  expect_caret("3,0,0", "(1 + e1", 0, "never closed");
  expect_caret("3,0,0", "1 + e1)", 6, "has no matching opening one");
  expect_caret("3,0,0", "e99", 1, "no basis vector e9");
  expect_caret("3,0,0", "e121", 3, "occurs twice");
  expect_caret("3,0,0", "1E400", 0, "out of range");
  expect_caret("3,0,0", "1e400", 2, "no basis vector e4");
  expect_caret("3,0,0", "2 / (1 + e1)", 2, "no inverse");
  expect_caret("3,0,0", "exp(1E5)", 0, "overflows");
  expect_caret("3,0,0", "1 +", 3, "a value was expected");
}

// Columns count characters, not bytes, and nothing odd reaches the terminal.
TEST(AlgebraCommand, PointsAtTheColumnAfterUnusualCharacters) {
  EXPECT_TRUE(run_algebra({"3,0,0", "1 + \xce\xb1"}).err.starts_with("  1 + \xce\xb1\n      ^\n"));
  EXPECT_TRUE(run_algebra({"3,0,0", "#\xce\xb1\n\t?"}).err.starts_with("  #\xce\xb1  ?\n      ^\n"));
  EXPECT_TRUE(run_algebra({"3,0,0", "1 \xff\xfe\x1b"}).err.starts_with("  1 ?? \n    ^\n"));
  EXPECT_TRUE(run_algebra({"3,0,0", "1 \xe2\x88"}).err.starts_with("  1 ??\n    ^\n"));
}

TEST(AlgebraCommand, ShowsTheRelevantPartOfALongExpression) {
  std::string sum = "1";
  for (int i = 0; i < 1000; ++i) sum += " + 1";
  const Outcome outcome = run_algebra({"3,0,0", sum + " + foo" + sum});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_TRUE(contains(outcome.err, "+ foo1 + 1")) << outcome.err;
  const auto line_end = outcome.err.find('\n');
  EXPECT_LT(line_end, 100U);
  const auto caret = outcome.err.find('^') - line_end - 1;
  EXPECT_EQ(outcome.err.substr(caret, 4), "foo1") << outcome.err;
}

TEST(AlgebraCommand, RejectsInvalidInput) {
  expect_error(run_algebra({}), 2, "missing argument p,q,r");
  expect_error(run_algebra({"3,0,0", ""}), 2, "empty");
  expect_error(run_algebra({"3,0,0", " # "}), 2, "empty");
  expect_error(run_algebra({"", "1"}), 2, "signature ''");
  expect_error(run_algebra({"e1*e2"}), 2, "signature 'e1*e2' is not understood");
  expect_error(run_algebra({"-1,0,0", "1"}), 2, "G(-1,0,0)");
  expect_error(run_algebra({"13,0,0", "1"}), 2, "at most 12");
  expect_error(run_algebra({"99999999999,0,0", "1"}), 2, "not understood");
  for (const char* digits : {"-3", "0", "18", "x", "", "1e1"}) {
    expect_error(run_algebra({"3,0,0", "1", "--digits", digits}), 2, "--digits expects");
  }
  expect_error(run_algebra({"3,0,0", "--tabel"}), 2, "did you mean '--table'?");
  expect_error(run_algebra({"3,0,0", "--product", "cross"}), 2, "'cross'");
  expect_error(run_algebra({"4,3,0", "--table"}), 2, "128 x 128");
}

TEST(AlgebraCommand, SurvivesHugeInput) {
  const std::string deep(100000, '(');
  EXPECT_TRUE(contains(run_algebra({"3,0,0", deep}).err, "nested levels"));
  const std::string name(100000, 'x');
  EXPECT_TRUE(contains(run_algebra({"3,0,0", name}).err, "no variable"));
  const Outcome line = run_algebra({"3,0,0"}, std::string(3000000, '1') + "\n2 + 2\n");
  EXPECT_EQ(line.code, 1);
  EXPECT_EQ(line.out, "4\n");
  EXPECT_TRUE(contains(line.err, "longer than")) << line.err.size();
}

TEST(AlgebraCommand, ReadsLinesFromAPipe) {
  EXPECT_EQ(output({"3,0,0"}, "R = exp(-pi/4 * e12);\n\n# turn\nR >>> e1\nx = ans + 1\n quit \r\nfoo\n"),
            "e2\nx = 1 + e2\n");
  EXPECT_EQ(output({"3,0,0"}, ""), "");
  EXPECT_EQ(output({"3,0,0"}, "e1*e2"), "e12\n");
  EXPECT_TRUE(contains(output({"3,0,0"}, "help\n"), "sandwich(v, x)"));
}

TEST(AlgebraCommand, ReportsMistakesAtTheEndOfAPipe) {
  const Outcome outcome = run_algebra({"3,0,0"}, "1\nfoo\n2\n");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "1\n2\n");
  EXPECT_TRUE(outcome.err.starts_with("  foo\n  ^\nline 2: there is no")) << outcome.err;
  EXPECT_TRUE(outcome.err.ends_with("gcan: 1 line could not be computed\n")) << outcome.err;
}

// The prompt on its own terminal, with the test as user. Keys typed before the next prompt find the terminal
// in another mode, so `type` waits for the prompt; only `type_ahead` does not.
class Typist {
 public:
  // `early` is typed before the program has started.
  explicit Typist(const std::string& home, const std::string& early = "") {
    int terminal = 0;
    child_ = forkpty(&terminal, nullptr, nullptr, nullptr);
    if (child_ == 0) {
      setenv("HOME", home.c_str(), 1);
      setenv("TERM", "xterm", 1);
      unsetenv("XDG_STATE_HOME");
      execl(GCAN_PROGRAM, "gcan", "algebra", "3,0,1", nullptr);
      _exit(127);
    }
    terminal_ = terminal;
    type_ahead(early);
    wait_for(kPrompt);
  }
  ~Typist() {
    if (child_ > 0) end();
    close(terminal_);
  }
  Typist(const Typist&) = delete;
  Typist& operator=(const Typist&) = delete;

  // Types the keys and waits until the text and the next prompt appear.
  void type(const std::string& keys, const std::string& text) {
    type_ahead(keys);
    wait_for(text);
    wait_for(kPrompt);
  }

  void type_ahead(const std::string& keys) {
    ASSERT_EQ(write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }

  // Reads until the text has appeared, and drops everything up to its end.
  void wait_for(const std::string& text) {
    std::size_t at = unread_.find(text);
    while (at == std::string::npos) {
      ASSERT_TRUE(read_more()) << text << " is missing in " << unread_;
      at = unread_.find(text);
    }
    unread_.erase(0, at + text.size());
  }

  // Types the keys that end the program and returns its exit code; -1 if it does not end.
  int exit_code(const std::string& keys) {
    type_ahead(keys);
    return end();
  }

  // Waits until the program closes its terminal; kills it if it does not.
  int end() {
    while (read_more()) {
    }
    if (!closed_) {
      ADD_FAILURE() << "the prompt did not end after " << unread_;
      kill(child_, SIGKILL);
    }
    int status = 0;
    waitpid(std::exchange(child_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  static constexpr const char* kPrompt = "G(3,0,1)> ";

  // False if there is no more output: for 20 seconds, or because the program has closed its terminal.
  bool read_more() {
    char buffer[1024];
    pollfd ready{terminal_, POLLIN, 0};
    if (poll(&ready, 1, 20'000) <= 0) return false;
    const ssize_t count = read(terminal_, buffer, sizeof buffer);
    closed_ = count <= 0;
    if (!closed_) unread_.append(buffer, static_cast<std::size_t>(count));
    return !closed_;
  }

  pid_t child_ = -1;
  int terminal_ = -1;
  bool closed_ = false;
  std::string unread_;
};

TEST(AlgebraCommand, PromptsOnATerminalAndContinuesAfterMistakes) {
  const Scratch home;
  Typist typist(home / "");
  typist.type("foo\r", "no variable");
  typist.type("e1*e2\r", "\ne12\r");
  typist.type("ans + 1\r", "\n1 + e12\r");
  typist.type("!e1\r", "e023\r");
  typist.type("2^3\r", "note: ^ is the outer product");
  EXPECT_EQ(typist.exit_code("quit\r"), 0);
}

TEST(AlgebraCommand, HelpsAtThePrompt) {
  const Scratch home;
  Typist typist(home / "");
  typist.type("help\r", "motor(axis, t, d)");
  typist.type("help exp\r", "exp(-pi/4 * e12) = 0.7071067812 - 0.7071067812e12");
  typist.type("help expp\r", "did you mean 'exp'?");
  typist.type("help >>>\r", "sandwich (applies the versor v to x)");
  typist.type("R = 1 + e12\r", "\nR = 1 + e12");
  typist.type("variables\r", "\nR = 1 + e12");
  EXPECT_EQ(typist.exit_code("\x04"), 0);  // Ctrl-D
}

TEST(AlgebraCommand, HasCompletionAndHistory) {
  const Scratch home;
  {
    Typist typist(home / "");
    typist.type("poi\t1, 2, 3)\r", "\n-3e012 + 2e013 - e023 + e123\r");
    typist.type(
        "3e1\x01"
        "2 + \r",
        "\n2 + 3e1\r");  // Ctrl-A goes to the start of the line
    EXPECT_EQ(typist.exit_code("quit\r"), 0);
  }
  Typist typist(home / "");
  typist.type("\x1b[A\x1b[A\r", "\n2 + 3e1\r");  // twice up: before quit
  EXPECT_EQ(typist.exit_code("quit\r"), 0);
}

TEST(AlgebraCommand, KeepsEveryPastedLine) {
  const Scratch home;
  Typist typist(home / "");
  typist.type_ahead("e1*e2\rans + 1\r2e1 + e2\r");
  for (const char* answer : {"\ne12\r", "\n1 + e12\r", "\n2e1 + e2\r"}) typist.wait_for(answer);
  // With its end, and newlines instead of the key.
  typist.type_ahead("e1*e3\ne3 + e1\nquit\n");
  for (const char* answer : {"\ne13\r", "\ne1 + e3\r"}) typist.wait_for(answer);
  EXPECT_EQ(typist.end(), 0);
}

// While the program works, or before it has started, the terminal itself collects lines and turns Ctrl-D into
// something else.
TEST(AlgebraCommand, KeepsInputTypedBeforeThePrompt) {
  const Scratch home;
  Typist typist(home / "", "e1*e2\r3e1\r\x04");
  for (const char* answer : {"\ne12\r", "\n3e1\r"}) typist.wait_for(answer);
  EXPECT_EQ(typist.end(), 0);
}

TEST(AlgebraCommand, HintsAreNotPartOfTheResult) {
  const Outcome outcome = run_algebra({"3,0,0", "2^3"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "6\n");
  EXPECT_TRUE(contains(outcome.err, "use ** for powers")) << outcome.err;
}

TEST(AlgebraCommand, DetectsUnwritableOutput) {
  expect_error(run_gcan({"algebra", "3,0,0", "1"}, {{}, "/dev/full"}), 1, "could not be written");
}

}  // namespace algebra_test
}  // namespace gcan::test
