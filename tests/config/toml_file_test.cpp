#include "gcan/config/toml_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/data/scratch.h"

namespace gcan::config {
namespace toml_file_test {

using test::expect_error_with;
using test::Scratch;

std::string written(const Scratch& scratch, const std::string& text) {
  std::string path = scratch / "c.toml";
  std::ofstream(path) << text;
  return path;
}

Options example() {
  return {"train",
          {{"steps", std::int64_t{100}, "how long", {}, 1, 1e9},
           {"rate", 1e-3, "how fast", {}, 0},
           {"title", std::string("none"), "any text"},
           {"clip", false, "whether"}}};
}

TEST(TomlFile, SetsOptionsByTheirTypes) {
  const Scratch scratch;
  const std::string path =
      written(scratch, "# c\n[train]\nsteps = 7\nrate = 2\ntitle = 'a \"b\" c'\nclip = true\n");
  Options options = example();
  for (const Entry& entry : read_toml(path)) {
    EXPECT_EQ(entry.section, "train");
    apply(entry, options);
  }
  EXPECT_EQ(options.integer("steps"), 7);
  EXPECT_EQ(options.number("rate"), 2.0);
  EXPECT_EQ(options.text("title"), "a \"b\" c");
  EXPECT_TRUE(options.flag("clip"));
}

TEST(TomlFile, RoundTrips) {
  const Scratch scratch;
  Options options = example();
  options.set("rate", 0.1 + 0.2);
  options.set("title", std::string("quote \" back \\ tab \t line \n end"));
  Options again = example();
  for (const Entry& entry : read_toml(written(scratch, "[train]\n" + to_toml(options)))) apply(entry, again);
  for (const Option& option : options.table()) {
    EXPECT_EQ(again.value(option.name), options.value(option.name)) << option.name;
  }
}

TEST(TomlFile, ErrorsNameFileAndLine) {
  const Scratch scratch;
  const auto fails = [&](const std::string& text, std::initializer_list<std::string> parts) {
    const std::string path = written(scratch, text);
    expect_error_with(
        [&] {
          Options options = example();
          for (const Entry& entry : read_toml(path)) apply(entry, options);
        },
        parts);
  };
  fails("[train]\nsteps = 7\nstesp = 8\n", {"c.toml, line 3", "'train.stesp'", "'train.steps'"});
  fails("[train]\n\nsteps = 0\n", {"c.toml, line 3", "train.steps", "from 1", "not 0"});
  fails("[train]\nsteps = \"many\"\n", {"c.toml, line 2", "a whole number", "\"many\""});
  fails("[train]\nrate = nan\n", {"c.toml, line 2", "train.rate"});
  fails("[train]\nsteps = [1, 2]\n", {"c.toml, line 2", "train.steps"});
  fails("steps = 1\n", {"c.toml, line 1", "'steps'", "section"});
  fails("[train\nsteps = 1\n", {"c.toml, line 1", "not TOML", "'[train' is neither a section like [train]"});
  fails("[model]\nname = gca-mlp\n",
        {"c.toml, line 2", "'name = gca-mlp' has no valid value; a string needs quotes"});
  fails("[train]\nsteps = 1\nsteps = 2\n", {"'steps = 2' repeats a key or section"});
  fails("[model]\nname = \"mlp\n", {"has no closing quote"});
  fails("[train]\nsteps = 1\nsteps = 2\n", {"c.toml, line 3", "steps"});
  expect_error_with([] { read_toml("/no/such/file.toml"); }, {"/no/such/file.toml"});
  expect_error_with([&] { read_toml(scratch / ""); }, {"cannot be read"});
}

// toml++ 3.3 fails an assertion on the first.
TEST(TomlFile, ControlCharactersAreRejected) {
  expect_error_with([] { parse_toml(std::string("[a]\n[\0b]", 8), "a.toml"); }, {"a.toml, line 2", "0x00"});
  expect_error_with([] { parse_toml("[a]\nb = \"\x1b\"", "a.toml"); }, {"a.toml, line 2", "0x1b"});
}

// toml++ 3.3 has undefined behaviour on the first two and on the last.
TEST(TomlFile, NonAsciiOnlyInStringsAndComments) {
  for (const char* text : {"[\uFEFD=[) ", "[a]\n\u00E9 = 1\n", "[a]\nb = \"\"\"c\"\"\"\"\"\u00E9\"\n"})
    expect_error_with([&] { parse_toml(text, "a.toml"); },
                      {"a.toml, line ", "non-ASCII character outside quotes"});
  const auto entries = parse_toml(
      "\uFEFF# \u00E9\n[a]\nb = \"\\\"\u00E9\" # \u00E9'\nc = '''\n\u00E9''' # \u00E9\n\"\u00E9\" = "
      "'\u00E9\\'\n",
      "a.toml");
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(std::get<std::string>(entries[0].value), "\"\u00E9");
  EXPECT_EQ(std::get<std::string>(entries[1].value), "\u00E9");
  EXPECT_EQ(entries[2].key, "\u00E9");
  expect_error_with([] { parse_toml("[a]\nx = 19J['\uFEFB", "a.toml"); },
                    {"a.toml, line 2", "not TOML", "19J"});
}

// toml++ 3.3 assumes that such texts do not reach it.
TEST(TomlFile, WhatTheParserAssumesIsChecked) {
  expect_error_with([] { parse_toml("[/q]\n", "a.toml"); },
                    {"a.toml, line 1", "'[/q]' is neither a section like [train] nor"});
  expect_error_with([] { parse_toml("[a]\nb = 1\n\n[ /\n", "a.toml"); }, {"a.toml, line 4", "not TOML"});
  expect_error_with([] { parse_toml("[a]\nb = '" + std::string(30'000, 'x') + "'\n[/", "a.toml"); },
                    {"a.toml: this is not TOML"});
}

TEST(TomlFile, Settings) {
  Options options = example();
  apply(parse_setting("train.steps=12"), options);
  apply(parse_setting("train.title=a=b.c"), options);
  EXPECT_EQ(options.integer("steps"), 12);
  EXPECT_EQ(options.text("title"), "a=b.c");
  for (const char* bad : {"", "train.steps", "steps=3", ".steps=3", "train.=3", "=", "a=b.c"}) {
    expect_error_with([&] { parse_setting(bad); }, {"section.key=value", bad});
  }
  expect_error_with([&] { apply(parse_setting("train.steps=1.5"), options); }, {"--set", "'1.5'"});
}

}  // namespace toml_file_test
}  // namespace gcan::config
