#include "gcan/report/page_data.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/report/pictures.h"

namespace gcan::report {
namespace page_data_test {

using Json = nlohmann::json;

// The bytes of a block, by a slow and simple decoder.
std::string bytes_of(const PageData& data, std::size_t index) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const Json block = Json::parse(data.blocks())[index];
  const std::string text = data.base64();
  std::string bits;
  for (const char c : text) {
    const std::size_t value = c == '=' ? 0 : letters.find(c);
    for (int i = 5; i >= 0; --i) bits += (value >> static_cast<unsigned>(i) & 1U) != 0 ? '1' : '0';
  }
  std::string bytes;
  for (std::size_t i = 0; i < block["bytes"].get<std::size_t>(); ++i)
    bytes +=
        static_cast<char>(std::stoi(bits.substr(8 * (block["at"].get<std::size_t>() + i), 8), nullptr, 2));
  return bytes;
}

// Decodes a block of 16 bits like web/src/data.ts.
std::vector<double> rounded_values(const PageData& data, std::size_t index) {
  const Json block = Json::parse(data.blocks())[index];
  std::size_t count = 1;
  for (const Json& size : block["shape"]) count *= size.get<std::size_t>();
  const std::size_t row = block["shape"].back();
  const std::string packed = bytes_of(data, index);
  std::vector<unsigned char> bytes(2 * count);
  uLongf size = bytes.size();
  EXPECT_EQ(uncompress(bytes.data(), &size, reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
            Z_OK);
  EXPECT_EQ(size, bytes.size());
  std::vector<double> values;
  std::uint16_t last = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % row == 0) last = 0;
    last = static_cast<std::uint16_t>(last + bytes[i] + 256 * bytes[count + i]);
    values.push_back(last == 65535 ? std::nan("")
                                   : block["low"].get<double>() + block["step"].get<double>() * last);
  }
  return values;
}

TEST(Base64, MatchesTheStandard) {
  // RFC 4648, section 10.
  const std::pair<const char*, const char*> cases[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : cases) EXPECT_EQ(base64_text(bytes), text);
  EXPECT_EQ(base64_text(std::string("\xff\x00\xfe", 3)), "/wD+");
}

TEST(PageData, KeepsFloatsBitByBit) {
  PageData data;
  const std::vector<float> values{1.5F, -0.1F, std::nanf(""), 1e30F, 0};
  data.add(std::vector<double>{7});
  const std::size_t index = data.add(values, {5});
  EXPECT_EQ(index, 1U);
  const std::string bytes = bytes_of(data, index);
  ASSERT_EQ(bytes.size(), 20U);
  EXPECT_EQ(std::memcmp(bytes.data(), values.data(), 20), 0);
  EXPECT_EQ(Json::parse(data.blocks())[1]["shape"], Json({5}));
}

TEST(PageData, EveryBlockBeginsWithBase64LettersOfItsOwn) {
  PageData data;
  for (std::size_t size = 1; size < 6; ++size) {
    std::vector<float> values(size, static_cast<float>(size));
    data.add(values, {size});
    data.add_rounded(values, {size});
  }
  const Json blocks = Json::parse(data.blocks());
  ASSERT_EQ(blocks.size(), 10U);
  for (const Json& block : blocks) EXPECT_EQ(block["at"].get<int>() % 3, 0);
}

TEST(PageData, RoundsToHalfAStepOfSixteenBits) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(100, 30);
  std::vector<float> values(6 * 4 * 9);
  for (float& value : values) value = normal(random);
  values[7] = std::nanf("");
  values[8] = std::numeric_limits<float>::infinity();
  PageData data;
  const std::size_t index = data.add_rounded(values, {6, 4, 9});
  const auto read = rounded_values(data, index);
  ASSERT_EQ(read.size(), values.size());
  const double step = Json::parse(data.blocks())[index]["step"];
  EXPECT_LT(step, 300.0 / 65534);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i == 7 || i == 8)
      EXPECT_TRUE(std::isnan(read[i]));
    else
      EXPECT_NEAR(read[i], static_cast<double>(values[i]), 0.5001 * step) << i;
  }
}

TEST(PageData, ClampsToLimits) {
  PageData data;
  const std::vector<float> values{-1e20F, -1, 0, 1, 1e20F};
  Limits limits;
  limits.add(std::vector<float>{-1, 1});
  const auto read = rounded_values(data, data.add_rounded(values, {5}, limits.widened(0.5)));
  const std::vector<double> expected{-2, -1, 0, 1, 2};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(read[i], expected[i], 1e-4);
}

TEST(PageData, SupportsConstantAndNonFiniteNumbers) {
  PageData data;
  EXPECT_EQ(rounded_values(data, data.add_rounded(std::vector<float>(3, 4.5F), {3})),
            (std::vector<double>{4.5, 4.5, 4.5}));
  for (const double value : rounded_values(data, data.add_rounded(std::vector<float>(3, std::nanf("")), {3})))
    EXPECT_TRUE(std::isnan(value));
  const std::size_t none = data.add(std::vector<double>{});
  EXPECT_EQ(Json::parse(data.blocks())[none]["bytes"], 0);
}

TEST(PageData, SmoothFieldsBecomeShort) {
  std::vector<float> values;
  for (int i = 0; i < 96 * 192; ++i)
    values.push_back(static_cast<float>(std::sin(i % 192 * 0.03) + i / 192 * 0.01));
  PageData data;
  data.add_rounded(values, {96, 192});
  EXPECT_LT(Json::parse(data.blocks())[0]["bytes"].get<std::size_t>(), values.size());
}

TEST(PageData, AShapeMustFit) {
  PageData data;
  const std::vector<float> values(6);
  test::expect_error_with([&] { data.add(values, {2, 4}); }, {"6 values", "2, 4"});
  test::expect_error_with([&] { data.add_rounded(values, {}); }, {"6 values"});
}

TEST(PageData, JsonInAScriptCannotEndIt) {
  const Json json{{"name", "</script><script>alert(1)</script><!-- \" ' \n"}};
  const std::string safe = script_safe(json.dump());
  EXPECT_EQ(safe.find('<'), std::string::npos);
  EXPECT_EQ(Json::parse(safe), json);
}

}  // namespace page_data_test
}  // namespace gcan::report
