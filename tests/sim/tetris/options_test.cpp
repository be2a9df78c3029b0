#include "gcan/sim/tetris/options.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "gcan/base/error.h"

namespace gcan::sim::tetris {
namespace tetris_options_test {

TEST(TetrisOptions, TheDefaultsAndTheLiteralTextAreValid) {
  EXPECT_NO_THROW(validate(Options::paper()));
  EXPECT_NO_THROW(validate(Options::literal()));
  EXPECT_EQ(Options::literal().orientation, Orientation::none);
}

void expect_refused(const Options& options, const std::string& part) {
  try {
    validate(options);
    ADD_FAILURE() << "no error for " << part;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(TetrisOptions, NamesInvalidOptions) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-0.1, 3.2, nan}) expect_refused({.max_angle = bad}, "max-angle is ");
  for (const double bad : {-0.1, 1e9, nan}) expect_refused({.max_offset = bad}, "max-offset is ");
  for (const double bad : {-0.1, 1.1, nan}) expect_refused({.rho = bad}, "rho is ");
  for (const double bad : {-0.1, 1.1, nan})
    expect_refused({.deformation_sigma = bad}, "deformation-sigma is ");
  for (const int bad : {-1, 0, 1, 1001}) expect_refused({.steps = bad}, "steps is " + std::to_string(bad));
}

}  // namespace tetris_options_test
}  // namespace gcan::sim::tetris
