#include "gcan/config/options.h"

#include <gtest/gtest.h>

#include <functional>

#include "gcan/base/error.h"

namespace gcan::config {
namespace options_test {

Options example() {
  return {"train",
          {{"steps", std::int64_t{100}, "", {}, 1, 1e9},
           {"rate", 1e-3, "", {}, 0},
           {"schedule", std::string("cosine"), "", {"cosine", "constant"}},
           {"clip", false, ""}}};
}

std::string message(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Options, HoldsDefaultsUntilSet) {
  Options options = example();
  EXPECT_EQ(options.integer("steps"), 100);
  options.set("steps", std::int64_t{7});
  options.set_text("rate", "1e-2");
  options.set_text("clip", "true");
  options.set("schedule", std::string("constant"));
  EXPECT_EQ(options.integer("steps"), 7);
  EXPECT_EQ(options.number("rate"), 1e-2);
  EXPECT_TRUE(options.flag("clip"));
  EXPECT_EQ(options.text("schedule"), "constant");
}

TEST(Options, AWholeNumberStandsForANumberButNotTheOtherWayRound) {
  Options options = example();
  options.set("rate", std::int64_t{2});
  EXPECT_EQ(options.number("rate"), 2.0);
  EXPECT_EQ(message([&] { options.set("steps", 2.5); }),
            "train.steps expects a whole number from 1 to 1000000000, not 2.5");
}

TEST(Options, NamesWhatItGotAndWhatItExpects) {
  Options options = example();
  EXPECT_EQ(message([&] { options.set("step", std::int64_t{1}); }),
            "there is no key 'train.step'; did you mean 'train.steps'?");
  EXPECT_EQ(message([&] { options.set("zzz", true); }),
            "there is no key 'train.zzz'; 'train' has steps, rate, schedule, clip");
  EXPECT_EQ(message([&] { options.set_text("rate", "nan"); }),
            "train.rate expects a number of at least 0, not 'nan'");
  EXPECT_EQ(message([&] { options.set_text("rate", "fast"); }),
            "train.rate expects a number of at least 0, not 'fast'");
  EXPECT_EQ(message([&] { options.set_text("schedule", "linear"); }),
            "train.schedule expects one of cosine, constant, not 'linear'");
  EXPECT_EQ(message([&] { options.set_text("clip", "1"); }), "train.clip expects true or false, not '1'");
  EXPECT_EQ(options.number("rate"), 1e-3);
}

TEST(Options, WritesValuesAsToml) {
  EXPECT_EQ(to_string(Value(true)), "true");
  EXPECT_EQ(to_string(Value(std::int64_t{3})), "3");
  EXPECT_EQ(to_string(Value(3.0)), "3.0");
  EXPECT_EQ(to_string(Value(1e-7)), "1e-07");
  EXPECT_EQ(to_string(Value(std::string("a\"b"))), "\"a\\\"b\"");
}

}  // namespace options_test
}  // namespace gcan::config
