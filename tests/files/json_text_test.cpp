#include "gcan/files/json_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace gcan::files {
namespace json_text_test {

std::string nested(std::size_t levels, char open, char close) {
  return std::string(levels, open) + std::string(levels, close);
}

TEST(JsonText, IsParsed) {
  EXPECT_EQ(parse_json(R"({"a": [1, {"b": "]}"}]})")["a"][1]["b"], "]}");
  EXPECT_TRUE(parse_json("").is_discarded());
  EXPECT_TRUE(parse_json("{\"a\": 1").is_discarded());
}

TEST(JsonText, DeepNestingIsDiscarded) {
  EXPECT_TRUE(parse_json(nested(64, '[', ']')).is_array());
  EXPECT_TRUE(parse_json(nested(65, '[', ']')).is_discarded());
  // A million levels would overflow the stack of whoever copies or prints the value.
  EXPECT_TRUE(parse_json(nested(1'000'000, '[', ']')).is_discarded());
  std::string objects;
  for (int i = 0; i < 1000; ++i) objects += R"({"a":)";
  EXPECT_TRUE(parse_json(objects + "1" + std::string(1000, '}')).is_discarded());
}

TEST(JsonText, BracketsInStringsDoNotCount) {
  const std::string brackets(1000, '[');
  EXPECT_EQ(parse_json("[\"" + brackets + "\"]")[0], brackets);
  EXPECT_EQ(parse_json(R"(["\\)" + brackets + "\"]")[0], "\\" + brackets);
  EXPECT_EQ(parse_json(R"(["\")" + brackets + "\"]")[0], "\"" + brackets);
}

}  // namespace json_text_test
}  // namespace gcan::files
