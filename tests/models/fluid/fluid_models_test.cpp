// The networks of the fluid experiments at full size: their parameter counts, which fix their structure.

#include <gtest/gtest.h>

#include "tests/models/fluid/fluid.h"

namespace gcan::models {
namespace fluid_models_test {

std::int64_t count(const std::string& name, const std::vector<std::string>& settings = {}) {
  return parameter_count(*test::fluid_network(name, settings));
}

TEST(FluidModels, CountsOfThePapersResNets) {
  EXPECT_EQ(count("resnet", {"channels=128"}), 2'400'515);
  EXPECT_EQ(count("resnet"), 3'036'963);
  EXPECT_EQ(count("cresnet"), 2'385'408);
  EXPECT_EQ(count("cresnet-rot"), 2'975'552);
  EXPECT_EQ(count("gca-resnet"), 3'003'456);
}

TEST(FluidModels, CountsOfThePapersUNets) {
  EXPECT_EQ(count("unet", {"channels=64"}), 46'461'955);
  EXPECT_EQ(count("unet"), 58'796'355);
  EXPECT_EQ(count("gca-unet"), 58'091'040);
  EXPECT_EQ(count("gca-unet", {"activation=sum"}), 58'064'544);
}

// Kernel entries of a plain UNet-C but for its first and last convolution.
std::int64_t kernel_entries(std::int64_t c) {
  const auto block = [](std::int64_t i, std::int64_t o) {
    return 9 * i * o + 9 * o * o + (i == o ? 0 : i * o);
  };
  std::int64_t sum = 2 * block(c, c) + 9 * c * c;
  std::int64_t width = c;
  for (int level = 1; level < 4; ++level) {
    sum += block(width, 2 * width) + block(2 * width, 2 * width);
    width *= 2;
    if (level < 3) sum += 9 * width * width;
  }
  sum += 2 * block(width, width);
  for (int level = 3; level >= 0; --level) {
    const std::int64_t narrower = level > 0 ? width / 2 : width;
    sum += 2 * block(2 * width, width) + block(width + narrower, narrower);
    width = narrower;
    if (level > 0) sum += 16 * width * width;
  }
  return sum;
}

// Clifford UNets were never released, so their count has no reference but the structure: 4 or 5 numbers per
// kernel entry of a UNet of as many channels, and the same biases and norms in both kinds.
TEST(FluidModels, CliffordUNetsAreUNets) {
  const std::int64_t standard = count("cunet"), rotational = count("cunet-rot");
  const std::int64_t ends = 9 * 32 * (4 + 1);
  EXPECT_EQ(rotational - standard, kernel_entries(32) + ends);
  EXPECT_EQ(standard / 1'000'000, 46);
  EXPECT_EQ(rotational / 1'000'000, 58);
}

}  // namespace fluid_models_test
}  // namespace gcan::models
