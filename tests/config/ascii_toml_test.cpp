#include "gcan/config/ascii_toml.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "gcan/config/toml_file.h"
#include "tests/data/scratch.h"

namespace gcan::config {
namespace ascii_toml_test {

using test::expect_error_with;

TEST(AsciiToml, AsciiTextStaysAsItIs) {
  for (const char* text :
       {"", "[a]\nb = 'c\\d' # e\n", "[a]\nb = '''\n\"c\"'''''\nd = \"\\\"\"", "'", "\"\\", "\"\"\""})
    EXPECT_EQ(ascii_toml(text, "a.toml"), text);
}

TEST(AsciiToml, StringsHaveEscapesAndCommentsQuestionMarks) {
  EXPECT_EQ(ascii_toml("\uFEFFa = \"\\\"\u00E9\\n\U0001F600\" # \u00E9'\uFEFB", "a.toml"),
            "a = \"\\\"\\u00E9\\n\\U0001F600\" # ?'?");
  EXPECT_EQ(ascii_toml("a = '\u00E9\"\\' # b", "a.toml"), "a = \"\\u00E9\\\"\\\\\" # b");
  EXPECT_EQ(ascii_toml("a = '''\n'\u00E9\\\n'''''#", "a.toml"), "a = \"\"\"\n'\\u00E9\\\\\n''\"\"\"#");
  EXPECT_EQ(ascii_toml("x = 19J['\uFEFB", "a.toml"), "x = 19J[\"\\uFEFB");
}

TEST(AsciiToml, OtherTextsAreErrors) {
  const auto fails = [](const std::string& text, const char* part) {
    expect_error_with([&] { ascii_toml(text, "a.toml"); }, {"a.toml, line 2: this is not TOML: ", part});
  };
  fails("\n\u00E9 = 1", "a non-ASCII character outside quotes");
  fails("''' '\u00E9'''\n'' \u00E9", "a non-ASCII character outside quotes");
  fails("\na = \"\\\u00E9\"", "a non-ASCII character after a backslash");
  fails("\n# \x80", "bytes that are not UTF-8");
  fails("\na = '\xED\xA0\x80'", "bytes that are not UTF-8");
  fails("\na = '\x7F'", "the control character 0x7f");
}

// Every kind of string that can contain the text.
std::vector<std::string> written(const std::string& text) {
  std::string basic;
  for (const char c : text) basic += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  std::vector<std::string> result{"\"\"\"\n" + basic + "\"\"\""};
  const bool one_line = text.find('\n') == std::string::npos;
  if (one_line) result.push_back("\"" + basic + "\"");
  if (one_line && text.find('\'') == std::string::npos) result.push_back("'" + text + "'");
  if (text.find("'''") == std::string::npos) result.push_back("'''\n" + text + "'''");
  return result;
}

TEST(AsciiToml, RandomTextsKeepTheirMeaningAndLines) {
  const std::vector<std::string> parts{"a",      "\"",     "'",      "\\",         "\n", "#",
                                       "\u00E9", "\uFEFB", "\uFFFF", "\U0010FFFF", "[",  "\U0001F600"};
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (auto size = random() % 8; size > 0; --size) text += parts[random() % parts.size()];
    for (const std::string& value : written(text)) {
      const std::string file = "[a] # \u00E9\nb = " + value + " # \u00E9\nc = 1\n";
      const auto entries = parse_toml(file, "a.toml");
      ASSERT_EQ(entries.size(), 2U) << file;
      ASSERT_EQ(std::get<std::string>(entries[0].value), text) << file;
      const auto lines = 2 + std::count(value.begin(), value.end(), '\n') + 1;
      ASSERT_EQ(entries[1].where, "a.toml, line " + std::to_string(lines)) << file;
    }
  }
}

TEST(AsciiToml, OnlyAsciiComesOut) {
  const std::vector<std::string> parts{"\"", "'", "'''", "\"\"\"", "\\",     "\n",
                                       "#",  "=", "[",   "\u00E9", "\uFEFB", "a"};
  std::mt19937 random(2);
  int translated = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (auto size = random() % 12; size > 0; --size) text += parts[random() % parts.size()];
    try {
      const std::string ascii = ascii_toml(text, "a.toml");
      ++translated;
      ASSERT_TRUE(std::all_of(ascii.begin(), ascii.end(), [](char c) { return c > 0 && c < 0x7F; })) << text;
      ASSERT_EQ(std::count(ascii.begin(), ascii.end(), '\n'), std::count(text.begin(), text.end(), '\n'))
          << text;
      ASSERT_EQ(ascii_toml(ascii, "a.toml"), ascii);
    } catch (const Error& error) {
      ASSERT_NE(std::string(error.what()).find("non-ASCII"), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(translated, 5000);
}

}  // namespace ascii_toml_test
}  // namespace gcan::config
