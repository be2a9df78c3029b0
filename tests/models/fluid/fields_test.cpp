#include "gcan/models/fluid/fields.h"

#include <gtest/gtest.h>

#include "gcan/base/error.h"

namespace gcan::models {
namespace fields_test {

constexpr Family kFamilies[] = {Family::plain, Family::clifford, Family::rotational, Family::gca};

TEST(Fields, ExtractUndoesEmbed) {
  for (const Family family : kFamilies) {
    const LayerSettings settings(family);
    for (const std::string text : {"s,v", "v,s", "s", "v", "s,s,v", "v,v,s", "s,v,s,v"}) {
      const Fields fields(text);
      const auto x = torch::randn({2, 3, fields.planes(), 4, 5});
      const auto h = fields.embed(x, settings);
      EXPECT_EQ(h.sizes(), (torch::IntArrayRef{2, 3 * fields.channels(settings), settings.blades(), 4, 5}));
      EXPECT_TRUE(fields.extract(h, settings).equal(x)) << text;
      EXPECT_NEAR(h.square().sum().item<double>(), x.square().sum().item<double>(), 1e-3) << text;
    }
  }
}

TEST(Fields, PressureAndWindAreOneVectorOrAMultivectorWithoutBivector) {
  const auto x = torch::randn({1, 1, 3, 2, 2});
  const auto vector = Fields("s,v").embed(x, LayerSettings(Family::gca));
  EXPECT_TRUE(vector.equal(x));
  const auto turned = Fields("v,s").embed(x, LayerSettings(Family::gca));
  EXPECT_TRUE(turned.select(2, 0).equal(x.select(2, 2)));
  EXPECT_TRUE(turned.narrow(2, 1, 2).equal(x.narrow(2, 0, 2)));
  const auto whole = Fields("s,v").embed(x, LayerSettings(Family::clifford));
  EXPECT_TRUE(whole.narrow(2, 0, 3).equal(x));
  EXPECT_EQ(whole.select(2, 3).abs().max().item<float>(), 0);
}

TEST(Fields, MoreOfOneKindLeavesTheOthersBladesZero) {
  const auto x = torch::randn({1, 1, 4, 2, 2});
  const auto h = Fields("s,s,v").embed(x, LayerSettings(Family::gca));
  ASSERT_EQ(h.size(1), 2);
  EXPECT_TRUE(h[0][1][0].equal(x[0][0][1]));
  EXPECT_EQ(h[0][1].narrow(0, 1, 2).abs().max().item<float>(), 0);
}

TEST(Fields, OtherTextsAreErrors) {
  for (const std::string text : {"", "x", "s;v", "s,,v", "sv"}) EXPECT_THROW(Fields{text}, Error) << text;
}

}  // namespace fields_test
}  // namespace gcan::models
