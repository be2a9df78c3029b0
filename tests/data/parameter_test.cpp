#include "gcan/data/parameter.h"

#include <gtest/gtest.h>

#include "tests/data/scratch.h"

namespace gcan::data {
namespace parameter_test {

TEST(Parameter, RoundTrips) {
  const test::Scratch scratch;
  const std::vector<Parameter> parameters{
      {"steps", std::int64_t{8}, "1"}, {"length", 0.1, "m"}, {"kind", std::string("ball"), "1"}};
  Hdf5File file(scratch / "a.h5", Hdf5File::Mode::kCreate);
  write_parameters(file, "options", parameters);
  const auto read = read_parameters(file, "options");
  EXPECT_EQ(difference(read, parameters), "");
  EXPECT_EQ(read[1].unit, "m");
  EXPECT_EQ(to_string(read[1].value), "0.1");
}

TEST(Parameter, DifferencesAreNamed) {
  const std::vector<Parameter> one{{"a", std::int64_t{1}, "1"}, {"b", 0.5, "1"}};
  auto other = one;
  other[1].value = 0.25;
  EXPECT_EQ(difference(one, other), "b 0.5 (now 0.25)");
  other[1] = {"c", 0.5, "1"};
  EXPECT_EQ(difference(one, other), "no option c");
  other.pop_back();
  EXPECT_EQ(difference(one, other), "other options");
}

}  // namespace parameter_test
}  // namespace gcan::data
